"""The commands of README and tutorial run in the order in which they stand, outside the checkout."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

PAGES = {"README.md": ["first/report.md"], "docs/guides/tutorial.md": ["first/report.md", "both", "filed/report.html"]}
"""Each page with files that must be there in the end."""

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", ["README.md", pytest.param("docs/guides/tutorial.md", marks=pytest.mark.nightly)])
def test_the_commands_of_a_page_run_in_order_in_a_new_folder(binary, tmp_path, page):
    tools, folder = tmp_path / "tools", tmp_path / "new"
    tools.mkdir()
    folder.mkdir()
    (tools / "knee").write_text(f'#!/bin/sh\nexec "{Path(binary).resolve()}" "$@"\n')
    (tools / "knee").chmod(0o755)
    blocks = re.findall(r"^```sh\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)
    assert blocks
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "".join(blocks)],
        cwd=folder,
        env=os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert [name for name in PAGES[page] if not (folder / name).exists()] == []
    for python in re.findall(r"^```python\n(.*?)^```$", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL):
        # A plain installation has neither pandas nor polars.
        without = "import sys\nsys.modules['pandas'] = sys.modules['polars'] = None\n"
        done = subprocess.run(
            [sys.executable, "-c", without + python], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout


def pages() -> list[Path]:
    rooms = (path for room in ("docs", "crates", "examples", "bench") for path in (ROOT / room).rglob("*.md"))
    return [*ROOT.glob("*.md"), *(path for path in rooms if ROOT / "examples/build" not in path.parents)]


def test_links_between_pages_lead_to_files():
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages()
        for link in LINK.findall(re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL))
        if "://" not in link and not (page.parent / link).exists()
    ]
    assert broken == []
