"""The check for import cycles finds planted cycles in both languages."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def cycles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    specification = importlib.util.spec_from_file_location("cycles", ROOT / "ci/cycles.py")
    module = importlib.util.module_from_spec(specification)
    monkeypatch.setitem(sys.modules, "cycles", module)
    specification.loader.exec_module(module)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    return module


def put(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def test_python_imports_count_inside_functions_and_for_type_checkers(cycles, tmp_path: Path):
    put(
        tmp_path,
        {
            "knee/__init__.py": "",
            "knee/a.py": "def late():\n    from knee.b import B\n",
            "knee/b.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from knee import c\n",
            "knee/c.py": "import knee.a\n",
            "knee/d.py": "import knee.a\n",
        },
    )
    graph = cycles.python_files(tmp_path / "knee")
    assert cycles.cycles(graph) == [["knee/a.py", "knee/b.py", "knee/c.py"]]


def test_a_package_that_is_imported_from_inside_is_a_cycle(cycles, tmp_path: Path):
    put(tmp_path, {"knee/__init__.py": "from knee.a import A\n", "knee/a.py": "from knee import VERSION\n"})
    assert cycles.cycles(cycles.python_files(tmp_path / "knee")) == [["knee/__init__.py", "knee/a.py"]]


def test_rust_names_that_are_handed_on_stand_for_the_file_that_defines_them(cycles, tmp_path: Path):
    crate = {
        "c/src/lib.rs": "mod below;\nmod over;\npub use below::deep::Deep;\n",
        "c/src/below/mod.rs": "pub mod deep;\n",
        "c/src/below/deep.rs": "use crate::over::{self, Over as Other};\npub struct Deep;\n",
        "c/src/over.rs": "// use crate::below::nothing;\nuse crate::Deep;\npub struct Over;\n",
    }
    put(tmp_path, crate)
    loop = ["c/src/below/deep.rs", "c/src/over.rs"]
    assert cycles.cycles(cycles.rust_files(tmp_path / "c")) == [loop]
    put(tmp_path, {"c/src/over.rs": "#[cfg(test)]\nmod tests {\n    use crate::Deep;\n}\npub struct Over;\n"})
    assert cycles.cycles(cycles.rust_files(tmp_path / "c")) == []


def test_a_file_of_tests_hides_nothing_of_the_module_that_declares_it(cycles, tmp_path: Path):
    crate = {
        "c/src/lib.rs": "#[cfg(test)]\nmod trial;\nmod over;\npub fn f() {}\n#[cfg(test)]\nmod tests {\n}\n",
        "c/src/over.rs": "use crate::f;\n",
        "c/src/trial.rs": "use crate::f;\n",
    }
    put(tmp_path, crate)
    assert cycles.rust_files(tmp_path / "c")["c/src/over.rs"] == {"c/src/lib.rs"}
