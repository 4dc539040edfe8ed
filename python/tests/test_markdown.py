"""The short report for a pull request."""

import re

import pytest
from click.testing import CliRunner
from conftest import VALID, rewrite

from knee import cli
from knee.opened import Study
from knee.report.markdown import escaped, markdown

UP = {1: (8.0, 8.0), 2: (4.0, 8.0), 4: (2.0, 8.0)}


def test_the_verb_writes_a_short_report_and_its_picture(simulated):
    folder = simulated({"cores-close": UP, "none": UP}, blocks=6)
    done = CliRunner().invoke(cli.verbs, ["report", str(folder.path), "--format", "md"], standalone_mode=False)
    assert done.exception is None
    assert done.output.splitlines()[-2:] == [
        str(folder.path / "report.md"),
        str(folder.path / "figures/speedup.svg"),
    ]
    text = (folder.path / "report.md").read_text()
    assert text.startswith("### made up: 4 threads are ")
    assert "![Speedup over threads](figures/speedup.svg)" in text
    assert (folder.path / "figures/speedup.svg").read_text().startswith("<svg")
    rows = [line for line in text.splitlines() if line.startswith("| cores-close |")]
    assert [row.split("|")[2].strip() for row in rows] == ["1", "2", "4"]
    assert re.search(r"\| 4 \| [12]\.\d* \| 4\.\d\d \| .* to .* \| \d+ % \|$", rows[-1])
    assert "- command: `program`" in text
    assert "- runs: 36 good, 0 disturbed, 0 rejected" in text
    assert text.index("### ") < text.index("| series |") < text.index("![") < text.index("<details>")
    assert len(text) < 3000


def test_what_is_of_one_thread_count_has_neither_table_nor_picture(simulated):
    study = Study.read(simulated({"none": {1: (8.0, 8.0)}}).path)
    text = markdown(study, None)
    assert "only 1 thread was measured" in text
    assert "| series |" not in text
    assert "![" not in text


@pytest.mark.parametrize("name", ["a|b", "<img src=x>", "`a`", "*a* _b_", "[a](b)", "# a"])
def test_names_are_text_and_break_no_table(simulated, name):
    folder = simulated({"cores-close": UP, "none": UP})
    rewrite(folder.plan, lambda spec: spec | {"cell": spec["cell"] | {"input": name + spec["cell"]["placement"]}})
    text = markdown(Study.read(folder.path), None)
    assert escaped(name) in text
    for row in (line for line in text.splitlines() if line.startswith("|")):
        assert len(re.findall(r"(?<!\\)\|", row)) == 7, row
    assert "<img" not in re.sub(r"\\<", "", text)


def test_a_command_with_backticks_stays_code(simulated):
    folder = simulated({"none": {1: (8.0, 8.0)}})
    folder.study_spec.write_text("schema = 1\n[program]\ncommand = ['sh', '-c', 'echo `ls`']\n")
    assert "- command: `` sh -c 'echo `ls`' ``" in markdown(Study.read(folder.path), None)


def test_a_command_in_a_line_is_code_to_copy(simulated):
    folder = simulated({"cores-close": UP})
    rewrite(folder.records, lambda one: one | {"validity": VALID | {"other_busy": 0.9}})
    text = markdown(Study.read(folder.path), None)
    command = f"knee study --resume {folder.path.name} --wait-quiet --rerun-disturbed"
    assert f"- do: wait for a quiet machine: `{command}`" in text
