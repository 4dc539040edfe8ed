"""Hostile text in every verb, page and picture: no control character gets through."""

import json
import re
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hostile import TEXT, hostile, in_terminal, raw
from hypothesis import given
from hypothesis import strategies as st
from test_study import SHORT

import knee
from knee.cli import listed
from knee.store import Folder, StudyError, shown, shown_within

ARGUMENT = TEXT.encode()
"""Hostile text on a command line."""

NATIVE = ("machine", "place", "doctor", "run", "memory", "mine", "workloads", "answer", "generate", "launch", "child")

VOID = {"meta", "link", "br", "img", "input", "hr"}


def called(binary: str, *words: str | bytes, cwd: Path, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Call knee; what it prints must be text without control characters."""
    done = subprocess.run([binary, *words], cwd=cwd, input=stdin, capture_output=True, check=False)
    assert raw(done.stdout.decode()) == [], words
    assert raw(done.stderr.decode()) == [], words
    return done


@given(st.text(st.characters(codec=None)))
def test_shown_escapes_control_characters_and_keeps_the_data_of_json(text):
    assert raw(shown(text)) == []
    assert json.loads(shown(json.dumps(text, ensure_ascii=False))) == text
    assert shown(shown(text)) == shown(text)


def test_ordinary_text_stays_unchanged():
    for text in ("größer → 日本語\n\tline", "👩\u200d💻", "می\u200cخواهم", "1 ≤ n", "a\u00a0b"):
        assert shown(text) == text
    assert shown_within({TEXT: [TEXT, 1]}) == {shown(TEXT): [shown(TEXT), 1]}
    assert shown("\udcff") == "\\udcff"


def test_the_binary_escapes_every_control_character(binary, tmp_path):
    for start in range(1, 0x110000, 0x800):
        letters = [chr(one) for one in range(start, min(start + 0x800, 0x110000)) if not 0xD800 <= one < 0xE000]
        text = " ".join(letters)
        question = json.dumps({"ask": ["machine", "-i", f"/nowhere/{text}"]}, ensure_ascii=False)
        if start < 0x3000 or start >= 0xE0000 or 0xF800 <= start < 0x10000:
            done = called(binary, "answer", cwd=tmp_path, stdin=question.encode() + b"\n")
            assert json.loads(done.stdout)["message"]


@pytest.mark.parametrize("verb", sorted({*NATIVE, *listed(), "nonsense"}))
def test_every_verb_escapes_its_arguments(binary, tmp_path, verb):
    for words in (
        [ARGUMENT],
        [b"--" + ARGUMENT],
        [b"--out", ARGUMENT],
        [b"--timeout", ARGUMENT],
        [b"--resume", ARGUMENT],
    ):
        # These calls are valid: they would write files, and measure.
        if (verb, words[0]) not in (("generate", ARGUMENT), ("memory", b"--out")):
            done = called(binary, verb, *words, cwd=tmp_path)
            assert done.returncode != 0, (verb, words)
            assert b"Traceback" not in done.stderr
    assert called(binary, ARGUMENT, cwd=tmp_path).returncode == 2


def test_bytes_that_are_not_text_are_escaped(binary, tmp_path):
    name = b"\xff\xfe" + ARGUMENT
    for words in (["report", name], ["analyze", name], ["compare", name, name], ["study", "--resume", name],
                  ["machine", "-i", name], ["memory", name], ["run", "--", name], ["study", "--", name]):  # fmt: skip
        done = called(binary, *words, cwd=tmp_path)
        assert done.returncode != 0, words
        assert b"Traceback" not in done.stderr, done.stderr


NATIVE_CALLS = {
    "a program that is not found": ["run", "--", ARGUMENT],
    "a check that fails": ["run", "--check", "^never$" + TEXT, "--", "true"],
    "a variable": ["run", "--env", ARGUMENT, "--", "true"],
    "the record of a run": ["run", "--json", "--", "true", ARGUMENT],
    "a batch script": ["run", "--slurm", "--", "printf", ARGUMENT],
    "a counter": ["run", "--counters", ARGUMENT, "--", "true"],
    "a setup that fails": ["run", "--setup", f"echo '{TEXT}' >&2; exit 1", "--", "true"],
    "a graph": ["mine", "count", ARGUMENT],
    "edges of a graph": ["mine", "edges", ARGUMENT],
    "a placement": ["place", ARGUMENT],
    "a probe's option": ["memory", "latency", b"--" + ARGUMENT, "1"],
    "a workload": ["run", ARGUMENT],
    "a description of a machine": ["machine", "-i", b"pack:2 " + ARGUMENT],
}


@pytest.mark.parametrize("name", NATIVE_CALLS)
def test_native_verbs_escape_what_they_repeat(binary, tmp_path, name):
    words = [word if isinstance(word, bytes) else word.encode() for word in NATIVE_CALLS[name]]
    called(binary, *words, cwd=tmp_path)


@pytest.fixture
def captured(tmp_path) -> Path:
    """Files of a machine whose processor, kernel and governor have hostile names."""
    root = tmp_path / "root"
    for path, text in {
        "proc/cpuinfo": f"processor\t: 0\nmodel name\t: {TEXT}\nmicrocode\t: {TEXT}\n".replace("\r", ""),
        "proc/sys/kernel/osrelease": TEXT,
        "sys/devices/system/cpu/online": "0\n",
        "sys/devices/system/cpu/possible": "0\n",
        "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": TEXT,
        "sys/devices/system/cpu/cpu0/topology/core_id": "0\n",
        "sys/devices/system/cpu/cpu0/topology/physical_package_id": "0\n",
        "sys/devices/system/cpu/cpu0/topology/thread_siblings_list": "0\n",
    }.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode() + (b"\xff" if text == TEXT else b""))
    return root


def test_facts_of_a_machine_are_escaped_and_its_xml_is_xml(binary, tmp_path, captured):
    assert "evil" in called(binary, "machine", "-i", str(captured), cwd=tmp_path).stdout.decode()
    described = called(binary, "machine", "-i", str(captured), "--json", cwd=tmp_path)
    assert "\x1b]0;" in json.loads(described.stdout)["facts"]["model"]
    xml = called(binary, "machine", "-i", str(captured), "--xml", cwd=tmp_path).stdout
    [model] = [one for one in ElementTree.fromstring(xml).iter("info") if one.get("name") == "CPUModel"]
    assert "\u202eevil" in model.attrib["value"]
    (tmp_path / "m.xml").write_bytes(xml)
    assert "evil" in called(binary, "machine", "-i", "m.xml", cwd=tmp_path).stdout.decode()


def test_run_passes_output_unchanged_but_escapes_what_it_repeats(binary, tmp_path):
    script = ["sh", "-c", 'printf %s "$0"; printf %s "$0" >&2; exit 3', ARGUMENT]
    done = subprocess.run([binary, "run", "--", *script], cwd=tmp_path, capture_output=True, check=False)
    assert done.stdout == ARGUMENT
    assert done.stderr.startswith(ARGUMENT)
    assert raw(done.stderr.removeprefix(ARGUMENT).decode()) == []
    done = subprocess.run(
        [binary, "run", "--json", "--check", "x", "--", *script], cwd=tmp_path, capture_output=True, check=False
    )
    assert raw(done.stdout.decode()) == []
    assert json.loads(done.stdout)["output"]["stderr_tail"] == TEXT


def test_python_verbs_escape_text_from_a_study(binary, tmp_path, simulated):
    folder = hostile(simulated)
    name = str(folder.path)
    done = called(binary, "report", "--format", "html,md,json,svg", name, cwd=tmp_path)
    assert "evil" in done.stdout.decode(), done.stderr
    assert "[bold]<b>" in "".join(done.stdout.decode().split())  # a long name is folded
    for words in (["report", "--anonymise", name], ["analyze", name], ["analyze", "--json", name],
                  ["analyze", "--factors", TEXT, name], ["analyze", "--response", TEXT, name],
                  ["compare", name, name], ["compare", "--json", name, name], ["compare", "--factor", TEXT, name],
                  ["compare", name, name, name], ["compare", "--json", name, name, name]):  # fmt: skip
        done = called(binary, *words, cwd=tmp_path)
        assert b"Traceback" not in done.stderr, (words, done.stderr)
        assert b"evil" in done.stdout + done.stderr or "--anonymise" in words


def test_a_study_escapes_how_its_runs_fail(binary, tmp_path):
    program = ["sh", "-c", f"printf '%s' '{TEXT[:-2]}' >&2; exit 3"]
    words = ["study", "--out", TEXT, "--factor", f"env:A={TEXT}a,{TEXT}b", *SHORT, "--", *program]
    done = called(binary, *words, cwd=tmp_path)
    assert b"exit status 3: \\u001b]0;owned" in done.stderr
    for words in (["--factor", f"{TEXT}=1"], ["--exclude", f"{TEXT}=1"], ["--setup", f"{TEXT}; exit 1"],
                  ["--metric", TEXT], ["--build", TEXT], ["--events", TEXT], ["--counters", TEXT]):  # fmt: skip
        assert called(binary, "study", *SHORT, *words, "--", "true", TEXT, cwd=tmp_path).returncode == 2
    (tmp_path / "s.toml").write_text(f'[program]\ncommand = ["true"]\n[design]\n"{TEXT[7:9]}\u202e" = 1\n')
    assert called(binary, "plan", "s.toml", cwd=tmp_path).returncode == 2


def test_on_a_terminal_only_styles_of_knee_get_through(binary, tmp_path, simulated):
    folder = hostile(simulated)
    name = str(folder.path)
    program = ["sh", "-c", f"printf '%s' '{TEXT[:-2]}' >&2; exit 3"]
    factor = ["--factor", f"env:A={TEXT}a,{TEXT}b", *SHORT]
    for words in (["report", name], ["analyze", name], ["compare", "--factor", TEXT, name], ["report", TEXT],
                  ["study", "--out", "t", *SHORT, "--", *program], ["plan", *factor, "--", *program]):  # fmt: skip
        _, printed = in_terminal([binary, *words], tmp_path)
        assert "evil" in printed, words
        left = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", printed).replace("\r", "")
        assert raw(left) == [], words
        assert "\x1b[31m\\u009b" not in printed


def test_pages_and_pictures_are_well_formed(binary, tmp_path, simulated):
    folder = hostile(simulated)
    done = called(binary, "report", "--format", "html,md,json,svg", str(folder.path), cwd=tmp_path)
    assert done.returncode in (0, 1), done.stderr
    pictures = sorted(folder.path.glob("figures/*.svg"))
    assert len(pictures) > 5
    for picture in pictures:
        ElementTree.fromstring(picture.read_bytes())
        assert raw(picture.read_text(encoding="utf-8")) == []
    assert any("evil" in picture.read_text() for picture in pictures)
    for name in ("report.md", "analysis.json"):
        assert raw((folder.path / name).read_text(encoding="utf-8")) == []
    _check_page(folder)


def _check_page(folder: Folder) -> None:
    text = (folder.path / "report.html").read_text(encoding="utf-8")
    ours = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert raw(ours) == []
    page = Strict()
    page.feed(text)
    page.close()
    assert page.open == []
    assert "<b>" not in ours.replace("<body>", "")
    data = json.loads(page.data)
    assert raw(json.dumps(data, ensure_ascii=False)) == []
    # A Vega expression would decode a second escape of JSON.
    assert not re.search(r"\\u001b|\\u202e", re.sub(r"\\\\u", "", json.dumps(data)))


class Strict(HTMLParser):
    """Refuses elements that are not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.data = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.script = dict(attrs).get("type") if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "script" and self.script == "application/json":
            self.data += data


def test_a_path_is_exact_for_programs_and_escaped_in_a_terminal(binary, tmp_path):
    name = b"\xff" + ARGUMENT.replace(b"/", b"")
    words = [b"plan", b"--out", name, *(word.encode() for word in SHORT), b"--", b"true", b"{threads}"]
    done = subprocess.run([binary, *words], cwd=tmp_path, capture_output=True, check=False)
    assert (done.stdout, done.returncode) == (name + b"\n", 0), done.stderr
    assert raw(done.stderr.decode()) == []
    _, printed = in_terminal([binary, "plan", "--out", TEXT, *SHORT, "--", "true", "{threads}"], tmp_path)
    assert shown(TEXT) in printed


def test_what_python_shows_of_a_study_controls_no_terminal(simulated):
    opened = knee.open(hostile(simulated).path)
    for text in (opened.verdict, repr(opened.analysis), repr(opened), opened._repr_html_()):
        assert "evil" in text
        assert raw(text) == []
    with pytest.raises(StudyError) as caught:
        raise StudyError(TEXT)
    assert raw(str(caught.value)) == []
