"""Examples in docstrings print what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import knee

ROOT = Path(knee.__file__).parent


def with_examples() -> list[str]:
    paths = [path for path in sorted(ROOT.rglob("*.py")) if "\n    >>> " in path.read_text()]
    return [
        ".".join(["knee", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__") for path in paths
    ]


MODULES = with_examples()


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name):
    assert doctest.testmod(import_module(name)).failed == 0


def test_there_are_examples():
    assert len(MODULES) > 20
