"""Typical mistakes: an error at once, with the one thing to try; nothing runs, and no folder is made."""

import os

import pytest
from test_study import knee

CPUS = f"{len(os.sched_getaffinity(0))} cpu{'s' * (len(os.sched_getaffinity(0)) > 1)}"
GOOD = ("--", "true", "{threads}")

MISTAKES = {
    # Factors and levels
    "a factor that is almost threads": (
        ["--factor", "thread=1,2", *GOOD],
        "bad factor: thread: the command does not mention {thread}",
        "did you mean threads?",
    ),
    "a factor given twice": (
        ["--factor", "threads=1", "--factor", "threads=2", *GOOD],
        "the factor threads is given twice",
        "give all its levels at once: --threads 1,2",
    ),
    "a factor that the program does not mention": (
        ["--factor", "size=1,2", *GOOD],
        "bad factor: size: the command does not mention {size}",
        "write {size} where its level goes, or use env:size for a variable",
    ),
    "a factor without levels": (
        ["--factor", "threads", *GOOD],
        "bad factor: 'threads'",
        "a factor is written NAME=a,b,c: --factor threads=1,2",
    ),
    "a thread count that is a word": (
        ["--factor", "threads=1,two", *GOOD],
        "--factor threads=1,two: 'two' is not a number of threads",
        "counts from 1 on, a range like 1-8 or 1..cpus:*2, cores, cpus, node-cores, core-cpus",
    ),
    "a variable without a name": (
        ["--factor", "env:=1", *GOOD],
        "--factor env:=1: the variable has no name",
        "env:OMP_SCHEDULE=static,dynamic",
    ),
    "a range backwards": (["-n", "8-1", *GOOD], "--threads 8-1: the range '8-1' runs backwards", "1-8"),
    "a range of counts that ends in another word": (
        ["-n", "1-core", *GOOD],
        "--threads 1-core: '1-core' is not a number of threads",
        "did you mean 1-cores?",
    ),
    "a range of counts from zero": (
        ["-n", "0-cpus", *GOOD],
        "--threads 0-cpus: 0 is not a number of threads",
        "1-cpus",
    ),
    "a range up to the machine's cpus that begins beyond them": (
        ["-n", "100000..cpus", *GOOD],
        f"threads: the range '100000..cpus' runs backwards: this machine has {CPUS}",
        "1..cpus",
    ),
    "memory on a node that is not there": (
        ["--factor", "memory=local,bind:900", *GOOD],
        "bad memory policy: 'bind:900': this process may not use node 900",
        "`knee machine` shows the nodes",
    ),
    "a placeholder of the baseline with a letter wrong": (
        ["--factor", "size=1,2", "--baseline", "echo {sise}", "--", "true", "{threads}", "{size}"],
        "unknown placeholder '{sise}'",
        "did you mean {size}?",
    ),
    "weak scaling by the thread count": (
        ["--weak", "threads=1000", *GOOD],
        "weak: threads is set by knee, but weak names the argument that says how much work there is",
        "--weak n=1000, and {n} in the command",
    ),
    "a placement with a letter missing": (
        ["--factor", "placement=core-close", *GOOD],
        "unknown placement 'core-close'",
        "did you mean cores-close?",
    ),
    "an exclusion with a letter missing": (
        ["--exclude", "thread=2", *GOOD],
        "bad exclude: thread=2: the study has no such level",
        "did you mean threads?",
    ),
    "an argument that a workload does not have": (
        ["--factor", "chunks=1,2", "sumeuler"],
        "bad factor: chunks: sumeuler has no such argument",
        "did you mean chunk?",
    ),
    # The program
    "a placeholder with a letter missing": (
        ["--", "true", "{thread}"],
        "unknown placeholder '{thread}'",
        "did you mean {threads}?",
    ),
    "a placeholder inside a word": (
        ["--factor", "size=1,2", "--", "sh", "-c", "exit {sizes} {threads}"],
        "unknown placeholder '{sizes}' in 'exit {sizes} {threads}'",
        "did you mean {size}?",
    ),
    "a path without --": (
        ["./prog", "{threads}"],
        "./prog is not a workload: a program goes after --",
        "knee study -- ./prog {threads}",
    ),
    "a program without --": (
        ["sleep", "0.{threads}"],
        "sleep is not a workload: a program goes after --",
        "knee study -- sleep 0.{threads}",
    ),
    "a quoted command": (
        ["--", "true {threads}"],
        "cannot run 'true {threads}': the command is one quoted word",
        "leave the quotes out: -- true {threads}",
    ),
    "a quoted command without --": (
        ["true {threads}"],
        "true is not a workload: a program goes after --",
        "knee study -- true {threads}",
    ),
    "a quoted workload": (
        ["sumeuler --n 500"],
        "'sumeuler --n 500' is one quoted word",
        "leave the quotes out: knee study sumeuler --n 500",
    ),
    "a program that is not there": (
        ["--", "./nowhere", "{threads}"],
        "cannot run ./nowhere: no such program",
        "give its path, or build it first",
    ),
    "a program of this folder without ./": (
        ["--", "here.sh", "{threads}"],
        "cannot run here.sh: no such program",
        "did you mean ./here.sh?",
    ),
    "a program with two letters swapped": (
        ["--", "./hree.sh", "{threads}"],
        "cannot run ./hree.sh: no such program",
        "did you mean ./here.sh?",
    ),
    "a script that is not executable": (
        ["--", "./data.py", "{threads}"],
        "cannot run ./data.py: it is not executable",
        "put python3 before it: -- python3 ./data.py",
    ),
    "a script that is not there": (
        ["--", "python3", "dota.py", "{threads}"],
        "cannot run dota.py: no such file",
        "did you mean data.py?",
    ),
    "a workload with a letter missing": (["sumeulr"], "unknown workload 'sumeulr'", "did you mean sumeuler?"),
    "a baseline with an open quotation mark": (
        ["--baseline", "'./serial", *GOOD],
        '--baseline: "\'./serial": No closing quotation',
        "close the quotation mark",
    ),
    # Options
    "an option with a letter missing": (
        ["--thread", "4", *GOOD],
        "unknown option '--thread'",
        "did you mean --threads?",
    ),
    "an option with two letters swapped, after a workload": (
        ["sumeuler", "--blokcs", "3"],
        "unknown option '--blokcs'",
        "did you mean --blocks?",
    ),
    "an argument of a workload in front of it": (
        ["--runtime", "near", "heat"],
        "unknown option --runtime",
        "put it after the workload: knee study heat --runtime near",
    ),
    "arguments of a workload among options, all in front of it": (
        ["--blocks", "3", "--n=500", "--runtime", "near", "sumeuler", "--chunk", "9"],
        "unknown option --n",
        "put it after the workload: knee study --blocks 3 sumeuler --chunk 9 --n=500 --runtime near",
    ),
    "an option without its value": (
        ["s.toml", "--blocks"],
        "--blocks needs a value",
        "see `knee study --help`",
    ),
    "a number in words": (["--blocks", "five", *GOOD], "--blocks: 'five' is not a whole number from 1 to 1000", None),
    "a choice with a letter wrong": (
        ["--bind", "eech", *GOOD],
        "--bind: bad value 'eech'; expected each or set",
        "did you mean each?",
    ),
    "a counter with two letters swapped": (
        ["--counters", "cylces", *GOOD],
        "unknown counter 'cylces'",
        "did you mean cycles?",
    ),
    "a metric without a group": (
        ["--metric", "took [0-9]+ s", *GOOD],
        "--metric: 'took [0-9]+ s' has no group",
        "put the number in brackets: 'took ([0-9.]+) s'",
    ),
    # Files and folders
    "an output folder that cannot be made": (
        ["--out", "/proc/x", *GOOD],
        "cannot make the folder /proc/x: No such file or directory",
        "choose another folder with --out",
    ),
    "a study file with a letter missing": (
        ["stdy.toml"],
        "cannot read the study: stdy.toml: No such file or directory",
        "did you mean study.toml?",
    ),
    "a key with a letter missing": (
        ["./study.toml"],
        "bad study: study.toml:4: design.block: unknown key",
        "did you mean blocks?",
    ),
    "a folder of a study instead of --resume": (
        ["old"],
        "old is the folder of a study, not a study file",
        "knee study --resume old",
    ),
    "nothing": ([], "nothing to study", "knee study -- ./program {threads}, or a workload, or a study file"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_before_anything_runs(binary, tmp_path, mistake):
    words, message, hint = MISTAKES[mistake]
    (tmp_path / "study.toml").write_text("[program]\ncommand = ['true']\n[design]\nblock = 3\n")
    (tmp_path / "s.toml").write_text("[program]\ncommand = ['true', '{threads}']\n")
    (tmp_path / "data.py").write_text("print()\n")
    (tmp_path / "here.sh").write_text("#!/bin/sh\n")
    (tmp_path / "here.sh").chmod(0o755)
    (tmp_path / "old").mkdir()
    (tmp_path / "old/plan.jsonl").touch()
    before = {*tmp_path.rglob("*")}
    done = knee(binary, "study", *words, cwd=tmp_path)
    assert done.stderr == f"knee: {message}\n" + (f"\nhint: {hint}\n" if hint else "")
    assert (done.returncode, done.stdout) == (2, "")
    assert {*tmp_path.rglob("*")} == before, "nothing was made"


def test_braces_that_are_no_placeholder_are_left_alone(binary, tmp_path):
    words = ["--", "sh", "-c", "echo a b {threads} | awk '{print $1}' > ${HOME}/{out}"]
    done = knee(binary, "plan", "--blocks", "1", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "placeholder" not in done.stderr
    done = knee(binary, "plan", "--blocks", "1", "--", "true", "{threads}", "{size}", cwd=tmp_path)
    assert done.stderr.startswith("knee: note: {size} is not a factor, so the program gets it as it is\n")
