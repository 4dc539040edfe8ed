"""What knee says about well-known programs, and what remedies gain: studies with --explain, then `knee try`.

    examples/build.sh; examples/programs/build.sh --install; bench/by_name/build.sh build/by-name
    .venv/bin/python bench/by_name.py [--out FOLDER] [--try] [NAME ...]
    bench/by_name/build.sh --remove

Prints, for each program, the verdict, the parts of the loss, the checks, and the seconds of the study's own runs and
of the runs that explain; with --try also the remedies, the seconds that they took, and whether the facts of the machine
are the same before and after. Use a quiet machine. A study that exists is not made again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from knee import _binary
from knee.opened import Study

ROOT = Path(__file__).parents[1]
BUILD, MADE = ROOT / "examples/build", ROOT / "build/by-name"
GROUP = "/sys/fs/cgroup/cpu/knee-by-name/cgroup.procs"
FACTS = ("cpu", "memory", "kernel", "allowed", "facts")
"""Keys of what `knee machine --json` prints that a remedy must not change."""


@dataclass(frozen=True)
class Program:
    """A program: its command, or the words of a workload; and whether remedies are tried on it."""

    words: list[str]
    options: list[str] = field(default_factory=list[str])
    tried: bool = False


def command(*words: str | Path) -> list[str]:
    return ["--", *map(str, words)]


def duckdb(query: str) -> list[str]:
    python = BUILD / "duckdb/bin/python"
    return command(python, ROOT / "bench/by_name/lineitem.py", query, MADE / "lineitem.duckdb", "{threads}")


PROGRAMS = {
    "sumeuler-ghc": Program(command(BUILD / "sumeuler-ghc", 8000, 10, "+RTS", "-N{threads}", "-A64m")),
    "sumeuler-ghc-eager": Program(command(BUILD / "sumeuler-ghc-eager", 8000, 10, "+RTS", "-N{threads}", "-A64m")),
    "python-threads": Program(
        command(sys.executable, ROOT / "examples/programs/gil.py", 45000, "{threads}"), tried=True
    ),
    "go-quota": Program(
        command("sh", "-c", f"echo 0 >{GROUP} && GOMAXPROCS={{threads}} exec {BUILD / 'mandel-go'} 1400 2000"),
        tried=True,
    ),
    "openmp-static": Program(
        command("sh", "-c", f"OMP_NUM_THREADS={{threads}} exec {BUILD / 'triangle'} 30000"),
        ["--factor", "env:OMP_SCHEDULE=static"],
        tried=True,
    ),
    "duckdb-q1": Program(duckdb("q1")),
    "duckdb-q6": Program(duckdb("q6")),
    "mine-explore": Program(["mine", "count", "--plan", "explore", "--pattern", "diamond", "rmat:15"]),
    "mine-formula": Program(["mine", "count", "--plan", "formula", "--pattern", "diamond", "rmat:16"]),
    "strassen": Program(["strassen", "--n", "1024"], tried=True),
    "triad": Program(command("sh", "-c", f"OMP_NUM_THREADS={{threads}} exec {MADE / 'triad'} 30")),
    "xz": Program(
        command("xz", "-T{threads}", "-1", "--block-size=128KiB", "--stdout", BUILD / "rows-250000.csv"), tried=True
    ),
    "make": Program(command("make", "-s", "-B", "-j{threads}", "-C", BUILD / "project")),
    "java-lists": Program(command("java", "-Xmx64m", "-cp", MADE, "Lists", "{threads}", 10000), tried=True),
    # As much memory on any number of threads.
    "allocate": Program(
        command(
            "sh", "-c", f"exec {_binary.find()} run -n {{threads}} allocate --size $((256 / {{threads}}))M >/dev/null"
        )
    ),
}


def study(program: Program, folder: Path) -> str | None:
    """Make the study of a program unless it exists; return why it failed."""
    if (folder / "analysis.json").exists():
        return None
    words = ["study", "--explain", "--no-pilot", "--out", str(folder), "--factor", "threads=1,2", *program.options]
    done = subprocess.run([str(_binary.find()), *words, *program.words], capture_output=True, text=True, check=False)
    return None if done.returncode in (0, 1) else done.stderr.strip()


def told(folder: Path) -> None:
    """Print what knee says of a study, and how long its runs took."""
    made = Study.read(folder)
    done = subprocess.run([str(_binary.find()), "explain", str(folder)], capture_output=True, text=True, check=False)
    print(made.verdict)
    print(done.stdout)
    asked = sum(run.record["wall_ns"] for run in made.runs if "test" in run.spec) / 1e9
    own = sum(run.record["wall_ns"] for run in made.runs if "test" not in run.spec and run.role == "measure") / 1e9
    print(f"own runs {own:.1f} s, questions {asked:.1f} s ({asked / own:.2f} of them)\n", flush=True)


def facts() -> dict[str, object]:
    """Return what must be the same before and after remedies."""
    done = subprocess.run([str(_binary.find()), "machine", "--json"], capture_output=True, text=True, check=True)
    return {key: value for key, value in json.loads(done.stdout).items() if key in FACTS}


def tried(folder: Path) -> None:
    """Try the remedies of a study; print what they gained, how long it took, and whether the machine is as before."""
    before, began = facts(), time.monotonic()
    done = subprocess.run([str(_binary.find()), "try", str(folder)], capture_output=True, text=True, check=False)
    took = time.monotonic() - began
    print(done.stdout.strip() or done.stderr.strip())
    print(
        f"tried in {took:.0f} s; facts of the machine {'as before' if facts() == before else 'CHANGED'}\n", flush=True
    )


def main() -> int:
    """Read the command line; make and print the studies."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("by-name"), help="folder of the studies")
    parser.add_argument("--try", action="store_true", dest="tries", help="also try remedies on six of them")
    parser.add_argument("names", nargs="*", help=", ".join(PROGRAMS))
    asked = parser.parse_args()
    asked.out.mkdir(exist_ok=True)
    for name, program in PROGRAMS.items():
        if asked.names and name not in asked.names:
            continue
        print(f"## {name}\n", flush=True)
        if name == "go-quota" and not Path(GROUP).exists():
            print(f"skipped: there is no {GROUP}: first bench/by_name/build.sh as root, where control groups are v1\n")
            continue
        if (why := study(program, asked.out / name)) is not None:
            print(f"skipped: {why}\n", flush=True)
            continue
        told(asked.out / name)
        if asked.tries and program.tried:
            tried(asked.out / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
