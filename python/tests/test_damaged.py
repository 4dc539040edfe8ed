"""Damaged folders: every verb gives one clear error, exits with status 2, and changes nothing in the folder."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import VALID, rewrite, skipped

import knee
from knee import cli
from knee.explain.responses import response
from knee.store import Folder, StudyError
from knee.study.kinds.lines import lines
from knee.study.spec import OPTIONS

TWO = {"cores-close": {1: (2.0, 2.0), 2: (1.0, 2.0)}}
HYPERFINE = '{"results": [{"command": "sleep 0.1", "mean": 0.1, "times": [0.1, 0.1]}]}\n'
SUMS = {"on_ns": 1, "ready_ns": 0, "asleep_ns": 0, "voluntary": 0, "involuntary": 0}
SWITCHES = {"mechanism": "records", "count": 2, "lost": 0, "odd": 0, "cost_ns": 1}
BESIDE = {"workload": "spin", "cpus": [0], "wall_ns": 1, "cpu_ns": 1, "rate": 1.0, "unit": "multiplications/s"}

Damage = Callable[[Folder], object]


def line(path: str, number: int, change: Callable[[str], str]) -> Damage:
    """Change one line of a file, counted from 1."""

    def damage(folder: Folder) -> None:
        file = folder.path / path
        lines = file.read_text().splitlines(keepends=True)
        lines[number - 1] = change(lines[number - 1])
        file.write_text("".join(lines))

    return damage


def field(path: str, number: int, **fields: object) -> Damage:
    return line(path, number, lambda text: json.dumps(json.loads(text) | fields) + "\n")


def written(path: str, data: bytes | str) -> Damage:
    return lambda folder: (folder.path / path).write_bytes(data.encode() if isinstance(data, str) else data)


def gone(path: str) -> Damage:
    return lambda folder: (folder.path / path).unlink()


def grown(path: str, more: str) -> Damage:
    def damage(folder: Folder) -> None:
        with (folder.path / path).open("a") as file:
            file.write(more)

    return damage


def a_pipe(path: str) -> Damage:
    def damage(folder: Folder) -> None:
        (folder.path / path).unlink()
        os.mkfifo(folder.path / path)

    return damage


def a_device(path: str) -> Damage:
    def damage(folder: Folder) -> None:
        (folder.path / path).unlink()
        (folder.path / path).symlink_to("/dev/zero")

    return damage


def emptied(folder: Folder) -> None:
    shutil.rmtree(folder.path)
    folder.path.mkdir()


def crowded(folder: Folder) -> None:
    emptied(folder)
    (folder.path / "notes.txt").write_text("milk")


def nested(folder: Folder) -> None:
    shutil.copytree(folder.path, folder.path.parent / "inner")
    emptied(folder)
    (folder.path.parent / "inner").rename(folder.path / "inner")


def a_file(folder: Folder) -> None:
    shutil.rmtree(folder.path)
    folder.path.write_text(HYPERFINE)


def a_folder(path: str) -> Damage:
    def damage(folder: Folder) -> None:
        (folder.path / path).unlink()
        (folder.path / path).mkdir()

    return damage


def appended(folder: Folder) -> None:
    with folder.records.open("a") as file:
        file.write(folder.records.read_text().splitlines()[0] + "\n")


def another(folder: Folder) -> None:
    rewrite(folder.records, lambda one: one | {"id": f"9{one['id']}"})


def edited(folder: Folder, **fields: object) -> None:
    folder.machine.write_text(json.dumps(json.loads(folder.machine.read_text()) | fields))


def asked(text: str) -> Damage:
    def damage(folder: Folder) -> None:
        with folder.study_spec.open("a") as file:
            file.write(text)

    return damage


RESTORE, MACHINE = "copy of the folder", "knee machine --json > "
EDITOR, VERSION = "in an editor", "version of knee that"
GOES_ON = "remove the file to continue the study"
RESUME = r"remove that line; knee study --resume .*study repeats its run"

DAMAGES: dict[str, tuple[Damage, str, str]] = {
    "no such folder": (lambda f: shutil.rmtree(f.path), "not the folder of a study: .*study: No such file", "--help"),
    "an empty folder": (emptied, r"not the folder of a study: .*: it has no study\.toml", "--help"),
    "some folder": (crowded, r"it has no study\.toml", "--help"),
    "a folder of studies": (nested, r"it has no study\.toml", r"it contains studies: give one of them, like .*inner"),
    "a file": (a_file, "Not a directory", "give the folder"),
    "study spec missing": (gone("study.toml"), r"it has no study\.toml", "--help"),
    "study spec not TOML": (written("study.toml", "schema = = 1"), r"study\.toml: Invalid value \(at line 1", EDITOR),
    "study spec not text": (written("study.toml", b"\xff\xfe"), r"cannot read: .*study\.toml: not text", EDITOR),
    "study spec newer": (
        written("study.toml", "schema = 2"),
        r"study\.toml: schema 2, this version .* reads 1",
        VERSION,
    ),
    "study spec a folder": (a_folder("study.toml"), r"study\.toml: Is a directory", EDITOR),
    "study spec of a number": (written("study.toml", "name = 7"), "name is not text", EDITOR),
    "study spec of no list": (written("study.toml", "[measure]\nresponses = 7"), "responses is not a list", EDITOR),
    "time limit of words": (asked('[measure]\nwait_quiet_s = "4"\n'), "measure wait_quiet_s is not a number", EDITOR),
    "build of words": (asked('[measure]\nbuild = ["make"]\n'), "measure build is not text", EDITOR),
    "less than no time": (asked("[measure]\nwait_quiet_s = -4\n"), "measure wait_quiet_s is -4, less than 0", EDITOR),
    "budget of words": (asked('[design]\nbudget_s = "10m"\n'), "design budget_s is not a number", EDITOR),
    "width of words": (asked('[design]\nwidth = "5%"\n'), "design width is not a number", EDITOR),
    "study spec of no table": (written("study.toml", "measure = 7"), "measure is not an object", EDITOR),
    "budget of 400 digits": (asked(f"[design]\nbudget_s = 1{'0' * 400}\n"), "a number has too many digits", EDITOR),
    "budget of 5000 digits": (asked(f"[design]\nbudget_s = 1{'0' * 5000}\n"), "a number has too many digits", EDITOR),
    "budget without end": (asked("[design]\nbudget_s = inf\n"), "inf is not a valid number", EDITOR),
    "study spec of a deep hole": (asked(f"x = {'[' * 5000}{']' * 5000}\n"), "it is nested too deeply", EDITOR),
    "study spec of deep names": (asked(f"{'x.' * 5000}x = 1\n"), "it is nested too deeply", EDITOR),
    "study spec a pipe": (a_pipe("study.toml"), r"study\.toml: it is a pipe or a device, not a file", EDITOR),
    "study spec a device": (a_device("study.toml"), r"study\.toml: it is a pipe or a device", EDITOR),
    "claim of nothing": (asked('[[claim]]\nsays = "x"\n'), r"study\.toml: claim 1: it needs one of", "speedup = "),
    "machine missing": (gone("machine.json"), r"it has no machine\.json", MACHINE),
    "machine cut off": (
        lambda f: os.truncate(f.machine, 40),
        r"cannot read the machine: .*: invalid JSON from",
        MACHINE,
    ),
    "machine newer": (lambda f: edited(f, schema=2), r"machine\.json: schema 2, this version", VERSION),
    "machine of hyperfine": (written("machine.json", HYPERFINE), r"it has no schema, so knee did not write", MACHINE),
    "machine without cores": (lambda f: edited(f, cores=None), r"machine\.json: it has no cores", MACHINE),
    "machine a list": (written("machine.json", "[]"), r"machine\.json: it is not an object", MACHINE),
    "machine a folder": (a_folder("machine.json"), r"machine\.json: Is a directory", MACHINE),
    "machine not text": (written("machine.json", b'{"schema": 1, "\xff'), r"machine\.json: not text", MACHINE),
    "machine a pipe": (a_pipe("machine.json"), r"machine\.json: it is a pipe or a device", MACHINE),
    "machine a device": (a_device("machine.json"), r"machine\.json: it is a pipe or a device", MACHINE),
    "machine of 65 MiB": (grown("machine.json", " " * (65 << 20)), "it has 6[0-9]+ bytes, more than", MACHINE),
    "machine of 400 digits": (lambda f: edited(f, x=10**400), "a number of 401 digits is not a valid number", MACHINE),
    "memory cut off": (
        written("machine-memory.json", '{"schema": 1'),
        r"the machine's memory: .*invalid JSON",
        "knee memory",
    ),
    "memory newer": (written("machine-memory.json", '{"schema": 2}'), r"memory\.json: schema 2", VERSION),
    "end cut off": (
        written("ended.json", '{"schema": 1, "block"'),
        r"why the study ended: .*ended\.json: invalid JSON",
        GOES_ON,
    ),
    "end newer": (written("ended.json", '{"schema": 2}'), r"ended\.json: schema 2", VERSION),
    "end of no block": (written("ended.json", '{"schema": 1, "why": "x"}'), "it has no block", GOES_ON),
    "plan missing": (gone("plan.jsonl"), r"it has no plan\.jsonl", RESTORE),
    "plan empty": (written("plan.jsonl", ""), r"cannot read the plan: .*: it has no runs", RESTORE),
    "plan cut off": (line("plan.jsonl", 10, lambda text: text[:30]), r"cannot read line 10: .*plan\.jsonl", RESTORE),
    "plan short": (line("plan.jsonl", 10, lambda _: ""), r"records of another study: .*: line 10: run 0010", RESUME),
    "plan newer": (field("plan.jsonl", 3, schema=2), r"cannot read line 3: .*plan\.jsonl: schema 2", VERSION),
    "plan twice": (line("plan.jsonl", 4, lambda t: t + t), r"line 5: .*: run 0004 is also planned in line 4", RESTORE),
    "plan without cpus": (field("plan.jsonl", 2, cpus=None), r"line 2: .*: it has no cpus", RESTORE),
    "plan of block 0": (field("plan.jsonl", 2, block=0), r"line 2: .*: block 0 .* is not a valid run", RESTORE),
    "plan of another cell": (field("plan.jsonl", 2, threads=64), "line 2: .*but it runs with 64", RESTORE),
    "plan a folder": (a_folder("plan.jsonl"), r"plan\.jsonl: Is a directory", RESTORE),
    "plan not text": (line("plan.jsonl", 2, lambda _: "\udcff\n"), r"cannot read line 2: .*: not text", RESTORE),
    "plan a pipe": (a_pipe("plan.jsonl"), r"plan\.jsonl: it is a pipe or a device", RESTORE),
    "plan of a foreign bind": (field("plan.jsonl", 2, bind="tight"), "bind is 'tight'; expected each or set", RESTORE),
    "plan of null as a command": (
        field("plan.jsonl", 2, program={"command": None}),
        "program has null as its command",
        RESTORE,
    ),
    "records a pipe": (a_pipe("records.jsonl"), r"records\.jsonl: it is a pipe or a device", RESUME),
    "records a device": (a_device("records.jsonl"), r"records\.jsonl: it is a pipe or a device", RESUME),
    "records of a long line": (
        grown("records.jsonl", "x" * (17 << 20)),
        "line 11: .*it has more than 16777216",
        RESUME,
    ),
    "record of 400 digits": (
        field("records.jsonl", 2, wall_ns=10**400),
        "line 2: .*: a number of 401 digits is not a valid number",
        RESUME,
    ),
    "record of 5000 digits": (
        line("records.jsonl", 2, lambda t: t.replace('"wall_ns": ', f'"wall_ns": {"1" * 5000}')),
        "line 2: .*digits is not a valid number",
        RESUME,
    ),
    "record of yesterday": (
        field("records.jsonl", 2, start="yesterday"),
        r"line 2: .*records\.jsonl: start is not a time",
        RESUME,
    ),
    "record of infinity": (
        line("records.jsonl", 2, lambda t: t.replace("{", '{"x": 1e999, ', 1)),
        "line 2: .*: 1e999 is not a valid number",
        RESUME,
    ),
    "record of a negative time": (
        field("records.jsonl", 2, user_ns=-1),
        "line 2: .*: user_ns is -1, less than 0",
        RESUME,
    ),
    "record of a negative time, far from its colon": (
        line("records.jsonl", 2, lambda t: t.replace('"user_ns": ', '"user_ns":   -')),
        "line 2: .*: user_ns is -[0-9]+, less than 0",
        RESUME,
    ),
    "record of half a letter in capitals": (
        line("records.jsonl", 2, lambda t: t.replace("{", '{"x": "\\uD800", ', 1)),
        "line 2: .*surrogates not allowed",
        RESUME,
    ),
    "record of switches in negative time": (
        field("records.jsonl", 2, switches=SWITCHES | {"total": {**SUMS, "threads": 1, "on_ns": -5}}),
        "line 2: .*: switches total on_ns is -5, less than 0",
        RESUME,
    ),
    "record of a foreign mechanism": (
        field("records.jsonl", 2, switches=SWITCHES | {"mechanism": "magic"}),
        "switches mechanism is 'magic'; expected records or samples",
        RESUME,
    ),
    "record of fewer than no periods": (
        field(
            "records.jsonl", 2, cgroup={"own": {"group": "/", "nr_periods": 1, "nr_throttled": -1, "throttled_ns": 0}}
        ),
        "line 2: .*: cgroup own nr_throttled is -1, less than 0",
        RESUME,
    ),
    "record of half a pressure": (
        field("records.jsonl", 2, psi={"of": "machine", "cpu": {"full_us": 1}}),
        "line 2: .*: psi cpu has no some_us",
        RESUME,
    ),
    "record of a program beside it that ran backwards": (
        field("records.jsonl", 2, beside=[BESIDE | {"rate": -1.0}]),
        "line 2: .*: beside 1 rate is -1.0, less than 0",
        RESUME,
    ),
    "record of null as a metric": (
        field("records.jsonl", 2, metric={"name": "m", "unit": "s", "value": None}),
        "line 2: .*: metric has null as its value",
        RESUME,
    ),
    "record of null as a counter": (
        field("records.jsonl", 2, counters={"x": {"value": None}}),
        "counters x has null as its value",
        RESUME,
    ),
    "record without rusage": (field("records.jsonl", 2, rusage=None), "line 2: .*: it has no rusage", RESUME),
    "record of a foreign bind": (
        field("records.jsonl", 2, bind="tight"),
        "bind is 'tight'; expected each or set",
        RESUME,
    ),
    "records cut in the middle": (
        line("records.jsonl", 4, lambda t: t[:50] + "\n"),
        r"line 4: .*: invalid JSON",
        RESUME,
    ),
    "records joined": (line("records.jsonl", 4, lambda t: t.strip()), r"cannot read line 4: .*: invalid JSON", RESUME),
    "records of a number": (line("records.jsonl", 4, lambda _: "7\n"), r"line 4: .*: it is not an object", RESUME),
    "records after a blank": (line("records.jsonl", 3, lambda _: "\n{\n"), r"cannot read line 4: ", RESUME),
    "record newer": (field("records.jsonl", 6, schema=2), r"cannot read line 6: .*records\.jsonl: schema 2", VERSION),
    "record of hyperfine": (line("records.jsonl", 1, lambda _: HYPERFINE), "line 1: .*it has no schema", RESUME),
    "record of no time": (field("records.jsonl", 2, wall_ns="1"), "line 2: .*: wall_ns is not a whole number", RESUME),
    "record of NaN": (field("records.jsonl", 2, wall_ns=float("nan")), "line 2: .*: NaN is not a valid number", RESUME),
    "record of half a letter": (
        field("records.jsonl", 2, output={"stderr_tail": "\ud800"}),
        "line 2: .*surrogates not allowed",
        RESUME,
    ),
    "record of a deep hole": (
        line("records.jsonl", 2, lambda _: "[" * 100_000 + "\n"),
        "line 2: .*: invalid JSON: maximum recursion",
        RESUME,
    ),
    "record of no counter": (field("records.jsonl", 2, counters={"x": "7"}), "counters x is not a counter", RESUME),
    "record without an end": (field("records.jsonl", 2, exit=None), "line 2: .*: it has no exit", RESUME),
    "record renamed": (field("records.jsonl", 5, id="9999"), "line 5: run 9999 is not in the plan", RESUME),
    "record of another block": (
        field("records.jsonl", 5, block=1),
        "line 5: .*in block 1, but planned in block 3",
        RESUME,
    ),
    "records appended": (appended, "run 0001 was recorded twice: .*: lines 1 and 11", "does not belong to this study"),
    "records of another study": (another, "records of another study: .*: line 1: run 90001", RESUME),
    "records a folder": (a_folder("records.jsonl"), r"records\.jsonl: Is a directory", RESUME),
    "records not text": (line("records.jsonl", 7, lambda _: "\udcff\n"), "cannot read line 7: .*: not text", RESUME),
}


def tree(path: Path) -> str:
    """Return a hash of everything in a folder: names, sizes, modification times and contents."""
    found = hashlib.sha256()
    for one in sorted([path, *path.rglob("*")]) if path.exists() else []:
        found.update(f"{one.name} {one.is_dir()} {one.stat().st_mtime_ns}".encode())
        found.update(one.read_bytes() if one.is_file() else b"")
    return found.hexdigest()


@pytest.fixture
def healthy(simulated, tmp_path) -> Path:
    simulated(TWO).path.rename(tmp_path / "whole")
    return tmp_path / "whole"


VERBS: dict[str, Callable[[str, str], list[str]]] = {
    "report": lambda folder, _: ["report", "--format", "json,html,svg", folder],
    "analyze": lambda folder, _: ["analyze", folder],
    "compare": lambda folder, other: ["compare", other, folder],
    "levels": lambda folder, _: ["compare", folder, "--factor", "threads", "--levels", "1,2"],
    "resume": lambda folder, _: ["study", "--resume", folder],
}


@pytest.mark.parametrize("name", DAMAGES)
def test_every_verb_gives_one_clear_error_and_changes_nothing(healthy, tmp_path, monkeypatch, capsys, name):
    damage, reason, hint = DAMAGES[name]
    folder = Folder(shutil.copytree(healthy, tmp_path / "study"))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", _written)
        damage(folder)
    before = tree(folder.path)
    for words in VERBS.values():
        monkeypatch.setattr(sys, "argv", ["knee", *words(str(folder.path), str(healthy))])
        status, said = cli.main(), capsys.readouterr()
        assert (status, said.out) == (2, ""), (words, said)
        one = re.fullmatch(r"knee: ([^\n]+)\n\nhint: (.+)\n", said.err, re.DOTALL)
        assert one, said.err
        assert re.search(reason, one[1]), one[1]
        assert re.search(hint, one[2].replace("\n      ", " ")), one[2]
        assert tree(folder.path) == before, words
    with pytest.raises(StudyError, match=reason):
        knee.open(folder.path)
    assert tree(folder.path) == before


def _written(path: Path, text: str) -> int:
    """Write text in which a surrogate stands for an invalid byte."""
    return path.write_bytes(text.encode(errors="surrogateescape"))


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_every_option_that_has_a_wrong_type_is_refused(tmp_path, option):
    *tables, key = option.key.split(".")
    # No option is a date.
    head = f"[{'.'.join(tables)}]\n" if tables else ""
    (tmp_path / "study.toml").write_text(f"{head}{key} = 1979-05-27\n")
    with pytest.raises(StudyError, match=f"cannot read the study: .*: {' '.join([*tables, key])}.* is not "):
        Folder(tmp_path).read_study_spec()


@pytest.mark.parametrize("file", ["study.toml", "plan.jsonl", "machine.json", "records.jsonl", "."])
def test_an_unreadable_file_is_reported(healthy, file):
    setpriv = shutil.which("setpriv")
    allowed = [setpriv, "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if None in allowed:
        skipped("test_damaged", "root may read anything, and there is no setpriv")
    (healthy / file).chmod(0)
    for words in VERBS.values():
        command = [*allowed, sys.executable, "-m", "knee", *words(str(healthy), str(healthy))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 2, done
        assert re.fullmatch(r"knee: [^\n]+: Permission denied\n\nhint: .+\n", done.stderr, re.DOTALL), done.stderr
    (healthy / file).chmod(0o755)


def test_a_report_that_cannot_be_written_is_shown_all_the_same(healthy):
    setpriv = shutil.which("setpriv")
    allowed = [setpriv, "--bounding-set", "-dac_override,-dac_read_search"] if os.geteuid() == 0 else []
    if None in allowed:
        skipped("test_damaged", "root may write anywhere, and there is no setpriv")
    healthy.chmod(0o555)
    command = [*allowed, sys.executable, "-m", "knee", "report", str(healthy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    healthy.chmod(0o755)
    assert done.returncode == 2
    assert "made up: " in done.stdout
    why = "knee: cannot write the report: .*: Permission denied\n\nhint: report on a copy: cp -r "
    assert re.search(why, done.stderr)


def spaced(folder: Folder) -> None:
    folder.records.write_text("\n" + folder.records.read_text().replace("\n", "\r\n\n"))


@pytest.mark.parametrize(
    "harm", [lambda f: None, lambda f: f.records.unlink(), lambda f: os.truncate(f.records, 3000), spaced]
)
def test_harmless_differences_are_read(simulated, harm):
    folder = simulated(TWO)
    harm(folder)
    assert knee.open(folder.path).analysis.verdict


EXTREMES: dict[str, dict[str, object]] = {
    **{
        f"000{n}": {"metric": {"name": "m", "unit": "s", "value": value}}
        for n, value in enumerate((0, 5e-324, 1e308), 1)
    },
    "0004": {"metric": {"name": "m", "unit": "s", "value": 2**64 - 1}},
    "0005": {"wall_ns": 2**64 - 1},
    "0006": {"counters": {"x": {"value": 1e308}}},
    "0007": {"validity": VALID | {"other_busy": 1e308, "steal": 1e308}},
    "0008": {"validity": VALID | {"clock_after_ns": 5e-324, "clock_before_ns": 1e308}},
    "0009": {"validity": VALID | {"other_busy": 1e308}, "counters": {"x": {"value": 2**64 - 1}}},
}


def test_extreme_numbers_give_an_answer_and_no_warning(simulated, recwarn):
    folder = simulated(TWO)
    rewrite(folder.records, lambda one: one | {"counters": {"x": 1}} | EXTREMES.get(one["id"], {}))
    opened = knee.open(folder.path)
    assert list(opened.analysis.to_json()["bad"]) == ["0001", "0002", "0003"]
    assert response(opened.runs, "x").left_out["0006"] == "1e+308 is too large"
    assert not [str(one.message) for one in recwarn]


def test_a_study_file_is_read_as_carefully(tmp_path, monkeypatch, capsys):
    (tmp_path / "deep.toml").write_text(f"x = {'[' * 5000}{']' * 5000}\n")
    (tmp_path / "digits.toml").write_text(f"x = {'1' * 5000}\n")
    (tmp_path / "large.toml").write_text("#" * 1_000_001)
    os.mkfifo(tmp_path / "pipe.toml")
    for name, reason in {
        "deep.toml": "it is nested too deeply",
        "digits.toml": "a number has too many digits",
        "large.toml": "it has 1000001 bytes, more than 1000000",
        "pipe.toml": "it is a pipe or a device, not a file",
    }.items():
        monkeypatch.setattr(sys, "argv", ["knee", "plan", str(tmp_path / name)])
        assert cli.main() == 2
        assert capsys.readouterr().err.startswith(f"knee: cannot read the study: {tmp_path / name}: {reason}\n")


def test_a_long_value_in_a_study_file_is_read_in_linear_time():
    numbers = lines("claim = [\n" + "  1,\n" * 100_000 + "]\nname = 7\n")
    assert numbers == {"claim": 1}


LIBRARIES = {
    "old": ("__version__ = '1.26.4'\n", "cannot use numpy: version 1.26.4 is installed, 2 is needed: "),
    "broken": ("raise ImportError('no shared object')\n", "cannot import numpy: no shared object: "),
}


@pytest.mark.parametrize("kind", LIBRARIES)
def test_a_numpy_that_is_too_old_or_broken_is_named(healthy, tmp_path, kind):
    text, reason = LIBRARIES[kind]
    (tmp_path / "numpy").mkdir()
    (tmp_path / "numpy/__init__.py").write_text(text)
    paths = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "knee", "report", str(healthy)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": paths})
    assert (done.returncode, done.stdout) == (2, "")
    hint = f"{sys.executable} -m pip install --upgrade numpy"
    assert done.stderr.replace("\n      ", " ") == f"knee: {reason}{sys.executable}\n\nhint: {hint}\n"


def test_a_deep_or_a_large_study_ends_with_an_error_and_no_traceback(healthy, monkeypatch, capsys):
    for error, reason in ((RecursionError(), "nested too deeply"), (MemoryError(), "out of memory")):
        monkeypatch.setattr(Folder, "check", lambda _, error=error: (_ for _ in ()).throw(error))
        monkeypatch.setattr(sys, "argv", ["knee", "report", str(healthy)])
        assert cli.main() == 2
        assert reason in capsys.readouterr().err
