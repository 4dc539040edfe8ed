"""Study files are read as written, and every mistake is reported with its line and key."""

import json
import shlex
import tomllib
from collections.abc import Iterator

import click
import jsonschema
import pytest
from conftest import ROOT

from knee._binary import counter_names, threads_to_skip
from knee.store import StudyError
from knee.study.kinds.kind import Choice, Distinct, Names, Number, Switch, Text, Whole
from knee.study.kinds.lines import line_of, lines
from knee.study.kinds.text import checked_counters
from knee.study.options.command_line import study_options, study_spec_of
from knee.study.options.file import from_file
from knee.study.options.words import _title
from knee.study.spec import AT_LEAST_S, BLOCKS, EXPLAINING_BLOCKS, OPTIONS

GOOD = """
schema = 1
name = "n"
[program]
command = ["./p", "{threads}"]
for = "openmp"
[program.env]
OMP_NUM_THREADS = "{threads}"
[factors]
threads = [2, 1]
"env:X" = ["a", "b"]
[design]
blocks = 3
seed = 9
bind = "each"
skip = [0, 2]
exclude = [{ threads = 2, "env:X" = ["a", "b"] }]
pair = "env:X"
width = 0.05
budget_s = 600
[design.weak]
argument = "n"
one_thread = 1000
power = 3
[hold]
facts = []
[measure]
census_ms = 0
together = true
responses = ["speedup", "instructions"]
build = "make {n}"
counters = ["instructions", "cpu/event=0xd3,umask=1/"]
events = "in/mine.toml"
same_output = false
warmup = 2
cache = "cold"
setup = "make data"
prepare = "sync"
conclude = "rm -f out"
cleanup = "rm -r data"
metric = { regex = "took (.*) ms", unit = "ms" }
check = { stdout = "ok" }
"""


def write(tmp_path, text):
    path = tmp_path / "s.toml"
    path.write_text(text)
    return path


def test_a_file_and_the_file_written_from_it_ask_the_same(tmp_path):
    first = from_file(write(tmp_path, GOOD))
    assert (first.blocks, first.seed, first.factors["threads"]) == (3, 9, [1, 2])
    assert first.program["directory"] == str(tmp_path)
    assert first.program["for"] == "openmp"
    assert (first.bind, first.skip, first.hold, first.census_ms, first.same_output) == ("each", [0, 2], [], 0, False)
    assert (first.warmup, first.cache, first.setup, first.cleanup) == (2, "cold", "make data", "rm -r data")
    assert first.counters == ["instructions", "cpu/event=0xd3,umask=1/"]
    assert (first.pair, first.width, first.budget_s, first.together) == ("env:X", 0.05, 600, True)
    assert first.responses == ["speedup", "instructions"]
    assert first.exclude == [{"threads": 2, "env:X": ["a", "b"]}]
    assert first.weak == {"argument": "n", "one_thread": 1000, "power": 3}
    assert first.events == str(tmp_path / "in/mine.toml")
    again = from_file(write(tmp_path, first.to_toml()))
    assert again == first


def test_true_and_false_are_words_of_a_program_as_others_write_them(tmp_path):
    program = "[program]\nworkload = 'x'\nargs = { a = true, n = 3 }\n[program.env]\nB = false\nC = 0.5\n"
    found = from_file(write(tmp_path, program)).program
    assert (found["args"], found["env"]) == ({"a": "true", "n": "3"}, {"B": "false", "C": "0.5"})


def test_whole_numbers_may_be_written_with_a_point(tmp_path):
    assert from_file(write(tmp_path, "[program]\ncommand = ['x']\n[design]\nblocks = 5.0\n")).blocks == 5


def test_a_level_cannot_be_nan(tmp_path):
    # A schema takes it for a number.
    with pytest.raises(StudyError, match=r"factors\.x: a level is text or a number"):
        from_file(write(tmp_path, "[program]\ncommand = ['x']\n[factors]\nx = [nan]\n"))


BAD = [
    ("schema = 2", "schema: 2: this version of knee reads 1"),
    ("x = 1", "x: unknown key"),
    ("[program]", "program: give either command or workload"),
    ("[program]\ncommand = 'x'", "program.command: it is not a list of words"),
    ("[program]\ncommand = ['x', 1]", "program.command: it is not a list of words"),
    ("[program]\ncommand = ['x']\n[factors]\nthreads = []", "factors.threads: it is not a list of levels"),
    ("[program]\ncommand = ['x']\n[factors]\nthreads = [0]", "factors.threads: 0 is not a number of threads"),
    ("[program]\ncommand = ['x']\n[design]\nblocks = 0", "design.blocks: 0 is not a number from 1 to 1000"),
    ("[program]\ncommand = ['x']\n[design]\nblock = 1", "design.block: unknown key"),
    ("[program]\ncommand = ['x']\n[measure]\nmetric = {regex = 'x'}", "measure.metric.unit: it is missing; expected s"),
    (
        "[program]\ncommand = ['x']\n[measure]\nmetric = {phase = 'x', regex = 'y', unit = 's'}",
        "measure.metric: give either",
    ),
    ("[program]\ncommand = ['x']\nfor = 1", "program.for: it is not text"),
    ("[program]\ncommand = ['x']\n[design]\nbind = 'all'", "design.bind: bad value 'all'; expected each or set"),
    ("[program]\ncommand = ['x']\n[design]\nskip = [-1]", "design.skip: it is not a list of threads"),
    ("[program]\ncommand = ['x']\n[design]\nskip = '0x'", "design.skip: '0x' is neither a list"),
    ("[program]\ncommand = ['x']\n[measure]\nwarmup = 'x'", "measure.warmup: 'x' is not a number from 0 to 1000"),
    ("[program]\ncommand = ['x']\n[measure]\nsetup = ['x']", "measure.setup: it is not text"),
    ("[program]\ncommand = ['x']\n[measure]\nsame_output = 1", "measure.same_output: it is not true or false"),
    ("[program]\ncommand = ['x']\n[factors]\nbind = ['x']", "factors.bind: bad value 'x'; expected each or set"),
    ("[program]\ncommand = ['x']\n[hold]\nfacts = 'smt'", "hold.facts: it is not a list of names"),
    ("[program]\ncommand = ['x']\n[measure]\ncounters = 'cycles'", "measure.counters: it is not a list of names"),
    ("[program]\ncommand = ['x']\n[measure]\ncounters = [1]", "measure.counters: it is not a list of names"),
    ("[program]\ncommand = ['x']\n[measure]\ncounters = ['']", "measure.counters: a name is empty"),
    ("[program]\ncommand = ['x']\n[measure]\ncounters = ['a', 'a']", "measure.counters: a comes twice"),
    ("[program]\ncommand = ['x']\n[measure]\nevents = ['x']", "measure.events: it is not text"),
    ("[program]\nworkload = {}", "program.workload: it is empty"),
    ("[program]\nworkload = 'mandel'\nargs = 1", "program.args: it is not a table"),
    ("[program]\nworkload = {mandel = 1}", "program.workload.mandel: it is not a table"),
    ("[program]\ncommand = ['x']\n[design]\nexclude = ['x']", "design.exclude: it is not a list of tables"),
    ("[program]\ncommand = ['x']\n[design]\nexclude = [{}]", "design.exclude: it is not a list of tables"),
    ("[program]\ncommand = ['x']\n[design]\nweak = {argument = 'n'}", "design.weak: argument or one_thread is missing"),
    ("[program]\ncommand = ['x']\n[design]\nweak = {one_thread = 1, argument = 1}", "design.weak.argument: it is"),
    ("[program]\ncommand = ['x']\n[design]\nwidth = 5", "design.width: 5 is not a number from 0.001 to 1"),
    ("[program]\ncommand = ['x']\n[design]\npair = 1", "design.pair: it is not text"),
    ("[program]\ncommand = ['x']\n[measure]\ntogether = 1", "measure.together: it is not true or false"),
    ("[program]\ncommand = ['x']\n[design]\nblocks = 2.7", "design.blocks: 2.7 is not a whole number"),
    ("[program]\ncommand = ['x']\n[design]\nseed = 1.5", "design.seed: 1.5 is not a whole number"),
    ("[program]\ncommand = ['x']\n[measure]\nwarmup = 0.9", "measure.warmup: 0.9 is not a whole number"),
    ("[program]\ncommand = ['x']\n[measure]\nsample_ms = 0.5", "measure.sample_ms: 0.5 is not a whole number"),
    ("[program]\ncommand = ['x']\n[measure]\ncensus_ms = 0.5", "measure.census_ms: 0.5 is not a whole number"),
    ("[program]\ncommand = ['x']\n[factors]\nthreads = [true]", "factors.threads: a level is text or a number"),
    ("[program]\ncommand = ['x']\n[factors]\nx = [true, false]", "factors.x: a level is text or a number"),
    (
        "[program]\ncommand = ['x']\n[design]\nexclude = [{ threads = [] }]",
        "design.exclude: it is not a list of tables",
    ),
    ("[program]\ncommand = ['x']\n[design]\nexclude = [{ x = true }]", "design.exclude: it is not a list of tables"),
    (
        "[program]\ncommand = ['x']\n[measure]\nmetric = {phase = 'x', unit = 's'}",
        "measure.metric.unit: only a regex has a unit",
    ),
    ("[program]\ncommand = ['x']\n[measure]\nmetric = {phase = 3}", "measure.metric.phase: it is not text"),
    ("[program]\ncommand = ['x']\n[measure]\nmetric = {regex = 'took', unit = 's'}", "'took' has no group"),
    (
        "[program]\ncommand = ['x']\n[measure]\ncheck = {stdout = '('}",
        "measure.check.stdout: '(' is not a regular expr",
    ),
    ("[program]\ncommand = ['x']\n[measure]\nmetric = {regex = 3, unit = 's'}", "measure.metric.regex: it is not text"),
    ("[program]\ncommand = ['x']\n[measure]\ncheck = {stdout = 3}", "measure.check.stdout: it is not text"),
    ("[program]\ncommand = ['x']\ndirectory = 3", "program.directory: it is not text"),
    ("[program]\ncommand = ['x']\nenv = {A = [1]}", "program.env.A: it is not text, a number, true or false"),
    (
        "[program]\ncommand = ['x']\n[program.env]\nA = {x = 1}",
        "program.env.A: it is not text, a number, true or false",
    ),
    ("[program]\ncommand = ['x']\n[factors]\n'env:' = ['1']", "factors.env:: the variable has no name"),
    (
        "[program]\ncommand = ['x']\n[factors]\n'env:A=B' = ['1']",
        "factors.env:A=B: the name of a variable must not contain =",
    ),
    ("[program]\ncommand = ['x']\n[baseline]\nworkload = {heat = {}}", "baseline.workload: it is not text"),
    ("[program]\nworkload = 'x'\nargs = {n = [1]}", "program.args.n: it is not text, a number, true or false"),
    ("program = 1", "program: it is not a table"),
    ("[program", "Expected"),
]


@pytest.mark.parametrize(("text", "reason"), BAD)
def test_a_mistake_is_named_with_its_key(tmp_path, text, reason):
    path = write(tmp_path, text)
    with pytest.raises(StudyError) as error:
        from_file(path)
    assert str(path) in str(error.value)
    assert reason in str(error.value)


def schema() -> dict:
    return json.loads((ROOT / "schema/study.schema.json").read_text())


@pytest.mark.parametrize("path", sorted((ROOT / "examples/studies").glob("*.toml")), ids=lambda path: path.stem)
def test_every_example_is_what_the_schema_says(path):
    jsonschema.validate(tomllib.loads(path.read_text()), schema())


def test_the_schema_takes_what_the_reader_takes():
    jsonschema.validate(tomllib.loads(GOOD), schema())


SAME = {
    "--exclude a=1,b=x --exclude a=2": "[design]\nexclude = [{ a = [1], b = ['x'] }, { a = [2] }]",
    "--weak n=10^3": "[design]\nweak = { argument = 'n', one_thread = 10, power = 3 }",
    "--skip 0x3": "[design]\nskip = [1, 2]",
    "--width 5%": "[design]\nwidth = 0.05",
    "--budget 2m": "[design]\nbudget_s = 120",
    "--at-least 30s": "[design]\nat_least_s = 30",
    "--wait-quiet 90s": "[measure]\nwait_quiet_s = 90",
    "--wait-quiet=2h": "[measure]\nwait_quiet_s = 7200",
    "--phase a": "[measure]\nmetric = { phase = 'a' }",
    "--metric (a) --unit ms": "[measure]\nmetric = { regex = '(a)', unit = 'ms' }",
    "--metric (a)": "[measure]\nmetric = { regex = '(a)', unit = 's' }",
    "--check ^a$": "[measure]\ncheck = { stdout = '^a$' }",
    "--hold smt,clock": "[hold]\nfacts = ['smt', 'clock']",
    "--hold none": "[hold]\nfacts = []",
    "--counters a,b/x,y/": "[measure]\ncounters = ['a', 'b/x,y/']",
    "--events in/mine.toml": "[measure]\nevents = 'in/mine.toml'",
    "--for openmp": "program.for = 'openmp'",
    "--factor threads=2,1 --factor 'placement=0,1;2'": "[factors]\nthreads = [1, 2]\nplacement = ['0,1', 2]",
    "--factor threads=1-4 --factor n=1..8:*2": "[factors]\nthreads = '1-4'\nn = '1..8:*2'",
    "--threads 1..8:*2,12": "[factors]\nthreads = ['1..8:*2', 12]",
    "-n 3,1..cpus:*2": "[factors]\nthreads = ['1..cpus:*2', 3]",
    "-n 1-cores": "[factors]\nthreads = '1-cores'",
    "-n 1,2 --factor n=5": "[factors]\nthreads = [1, 2]\nn = [5]",
    "--baseline './b c'": "[baseline]\ncommand = ['./b', 'c']",
}
"""Words and the keys of a study file that ask the same."""


def simple() -> Iterator[tuple[str, str]]:
    """Words and keys of the options that take a plain value, from their kinds."""
    for one in OPTIONS:
        match one.kind:
            case Whole(low, _):
                word, value = f" {low}", low
            case Number(_, high, None):
                word, value = f" {high}", high
            case Choice(words):
                word, value = f" {words[-1]}", words[-1]
            case Switch():
                word, value = "", True
            case _ if type(one.kind) in (Text, Names, Distinct):
                word, value = (" a", "a") if isinstance(one.kind, Text) else (" a,b", ["a", "b"])
            case _:
                continue
        yield f"{one.flags[0].name}{word}", f"{one.key} = {json.dumps(value)}"


@pytest.mark.parametrize(("words", "text"), [*simple(), *SAME.items()])
def test_an_option_and_its_key_in_a_file_ask_the_same(tmp_path, monkeypatch, words, text):
    monkeypatch.chdir(tmp_path)
    program = "program.command = ['x', '{threads}']\n"
    verb = study_options(click.Command("study", callback=lambda **asked: study_spec_of(asked)))
    asked = [*shlex.split(words), str(write(tmp_path, f"name = 's'\n{program}"))]
    assert verb.main(asked, standalone_mode=False) == from_file(
        write(tmp_path, program + ("" if text.startswith("name") else "name = 's'\n") + text)
    )


@pytest.mark.parametrize("words", ["--metric ''", "--metric '' --unit ms", "--metric '' --phase a", "--unit ms"])
def test_an_empty_pattern_is_no_phase(tmp_path, words):
    verb = study_options(click.Command("study", callback=lambda **asked: study_spec_of(asked)))
    study = write(tmp_path, "program.command = ['x', '{threads}']")
    with pytest.raises(StudyError, match=r"has no group|measures one thing|no --metric"):
        verb.main([*shlex.split(words), str(study)], standalone_mode=False)


def test_a_study_without_a_name_has_that_of_its_file(tmp_path):
    assert from_file(write(tmp_path, "name = ''\nprogram.command = ['x']")).name == "s"


BEYOND_A_SCHEMA = ("a comes twice", "'0x' is neither a list", "has no group", "not a regular expr", "Expected")


@pytest.mark.parametrize("text", [text for text, reason in BAD if not any(one in reason for one in BEYOND_A_SCHEMA)])
def test_the_schema_refuses_what_the_reader_refuses(text):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(tomllib.loads(text), schema())


def test_a_mistake_is_named_with_its_line(tmp_path):
    text = "# a study\n[program]\ncommand = [\n  'x',\n  'blocks = 3',\n]\n\n[design]\nseed = 1\nblocks = 'x'\n"
    path = write(tmp_path, text)
    with pytest.raises(StudyError, match=f"{path.name}:10: design.blocks: "):
        from_file(path)
    path = write(tmp_path, "[program]\ncommand = ['x']\n" + "\n[[claim]]\nsays = 'y'\n" * 2)
    with pytest.raises(StudyError, match=f"{path.name}:4: claim 1: "):
        from_file(path)


def test_lines_of_keys_in_every_form():
    text = """a.b = 1
"c.d" = { e = 1 }
many = '''
[f]
g = 1
'''
[f]
'g h' = [
  1,
]
[[claim]]
[claim.ratio]
of = 1
[[claim]]
says = 1
"""
    tomllib.loads(text)
    found = lines(text)
    expected = {"a.b": 1, "c.d": 2, "many": 3, "f": 7, "f.g h": 8, "claim.1": 11, "claim.1.ratio": 12}
    assert found == {**expected, "claim.1.ratio.of": 13, "claim.2": 14, "claim.2.says": 15}
    assert line_of(found, "c.d.e") == 2
    assert line_of(found, "claim 2: says") == 15
    assert line_of(found, "claim 2: needs") == 14
    assert line_of(found, "nowhere") is None


def test_a_file_that_is_not_there_is_said_to_be_missing(tmp_path):
    with pytest.raises(StudyError, match="No such file"):
        from_file(tmp_path / "none.toml")


@pytest.mark.parametrize(
    ("text", "threads"), [("0,2-4", [0, 2, 3, 4]), ("0x3", [1, 2]), ("0x5", [1, 3]), ("0x0", []), ("7", [7])]
)
def test_threads_to_skip_are_a_list_or_likwids_mask_over_started_threads(text, threads):
    assert threads_to_skip(text) == threads


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("instructions", ["instructions"]),
        ("cpu/event=1,umask=2/,b", ["cpu/event=1,umask=2/", "b"]),
        ("a, cpu/x,y/ ,uncore_imc/cas_count_read/", ["a", "cpu/x,y/", "uncore_imc/cas_count_read/"]),
        ("a,cpu/x,y", ["a", "cpu/x,y"]),
    ],
)
def test_counters_are_split_at_commas_but_not_at_those_between_slashes(text, names):
    assert counter_names(text) == names


@pytest.mark.parametrize(("text", "reason"), [("", "is empty"), ("a,,b", "is empty"), ("a,b,a", "a comes twice")])
def test_a_list_of_counters_that_says_nothing_or_one_thing_twice_is_refused(text, reason):
    with pytest.raises(StudyError, match=reason):
        checked_counters(counter_names(text), "--counters")


def test_options_of_a_study_are_all_held_against_their_keys_above():
    told = " ".join([*SAME, *(words for words, _ in simple())])
    assert [flag.name for one in OPTIONS for flag in one.flags if flag.name not in told] == []


@pytest.mark.parametrize(
    ("words", "title"),
    [
        (["./{build}", "{threads}"], "build"),
        (["./prog-{build}", "8"], "prog"),
        (["build/{build}/prog"], "prog"),
        (["python3", "a-{n}.py"], "a.py"),
        (["sh", "-c", "xz -T{threads} -k big > out && wc -c out"], "xz"),
        (["/bin/bash", "-ec", "cd x && OMP_NUM_THREADS={threads} exec ./solve-{build} 9"], "solve"),
        (["sh", "-c", "if make; then (./run | wc); fi"], "run"),
        (["sh", "-c", "echo 0 >/group; N={threads} exec /opt/solve 9"], "solve"),
        (["sh", "-c", "echo {threads}"], "echo"),
        (["sh", "-c", '"$0"', "x"], "sh"),
        (["sh", "run.sh", "-c", "other"], "run.sh"),
    ],
)
def test_a_name_holds_no_placeholder(words, title):
    assert _title(words) == title


def test_only_an_explained_study_that_names_no_blocks_goes_on_by_itself(tmp_path):
    file = write(tmp_path, 'program.command = ["true"]\n[design]\nexplain = 1.0\n')

    verb = study_options(click.Command("study", callback=lambda **asked: study_spec_of(asked)))

    def design(*words: str) -> tuple[int, float | None]:
        found = verb.main(list(words), standalone_mode=False)
        return found.blocks, found.at_least_s

    assert design("fib") == (BLOCKS, None)
    assert design("--explain", "1", "fib") == (EXPLAINING_BLOCKS, AT_LEAST_S)
    assert design("--explain", "1", "--at-least", "1m", "fib") == (EXPLAINING_BLOCKS, 60.0)
    assert design("--explain", "1", "--blocks", "7", "fib") == (7, None)
    assert design(str(file)) == (EXPLAINING_BLOCKS, AT_LEAST_S)
    assert design("--blocks", "7", str(file)) == (7, None)
    assert design("--blocks", "7", "--at-least", "1m", str(file)) == (7, 60.0)


def test_explaining_keeps_what_the_study_file_states_about_blocks(tmp_path):
    verb = study_options(click.Command("study", callback=lambda **asked: study_spec_of(asked)))

    def design(text: str, *words: str) -> tuple[int, float | None]:
        file = write(tmp_path, f'program.command = ["true"]\n[design]\n{text}\n')
        found = verb.main([*words, str(file)], standalone_mode=False)
        return found.blocks, found.at_least_s

    assert design("blocks = 5", "--explain", "1") == (5, None)
    assert design("at_least_s = 60.0", "--explain", "1") == (EXPLAINING_BLOCKS, 60.0)
    assert design("at_least_s = 60.0", "--blocks", "8") == (8, 60.0)
    assert design("", "--explain", "1") == (EXPLAINING_BLOCKS, AT_LEAST_S)
