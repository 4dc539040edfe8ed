"""The programs of `bench/checks.py`: on any number of threads, and with the remedy, they compute the same."""

import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import skipped

SOURCES = Path(__file__).parents[2] / "bench/checks"

WORDS = {"unreaped": [["0.2", "20"]], "in_turn": [["0.2", "20"]], "neighbours": [["blocks", "40"], ["cyclic", "40"]]}


@pytest.mark.parametrize("name", WORDS)
def test_the_answer_depends_on_neither_threads_nor_remedy(name, tmp_path):
    if not shutil.which("gcc"):
        skipped("a program that breaks a check", "there is no gcc")
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", SOURCES / f"{name}.c", "-o", tmp_path / name],
        check=True,
    )
    answers = {
        subprocess.run([tmp_path / name, threads, *words], capture_output=True, text=True, check=True).stdout
        for words in WORDS[name]
        for threads in "123"
    }
    assert len(answers) == 1
    assert answers != {"0000000000000000\n"}


def test_each_program_is_tested():
    assert set(WORDS) == {file.stem for file in SOURCES.glob("*.c")}
