"""What remedies may know: the run that they change, the machine, and the program's files as records show them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, cast

from knee.store import Folder, Record, RunSpec, role_of
from knee.study.remedies.executable import Executable, executable
from knee.study.remedies.remedy import Change
from knee.study.remedies.variables import assigned, with_variables

Compiler = Callable[[Path, str], tuple[Path | None, str | None]]

UNKNOWN = "the records do not say which libraries it uses"


def _nothing_compiled(_source: Path, _name: str) -> tuple[None, str]:
    return None, "nothing is compiled while a study is explained; `knee try` does so"


@dataclass(frozen=True)
class Situation:
    """A run to improve.

    Parameters
    ----------
    as_is
        The run spec as the study has it.
    fewer
        Run specs of the same levels on fewer threads, the largest count first.
    machine
        What ``knee machine --json`` prints, now.
    programs, libraries
        Paths of programs and file names of libraries that the program had mapped; None if no record says.
    waits_for_disk
        Whether a sample saw one of its threads wait for a disk.
    environ
        The variables of this process, which the program inherits.
    own
        The remedies of the study file.
    compiled
        Compiles a file in C to a library of a name, and returns its path or why there is none.
    weak
        How an argument grows with the threads, where it does.
    """

    as_is: RunSpec
    fewer: tuple[RunSpec, ...]
    machine: dict[str, Any]
    programs: tuple[str, ...] | None
    libraries: tuple[str, ...] | None
    waits_for_disk: bool
    environ: Mapping[str, str]
    own: tuple[dict[str, Any], ...]
    compiled: Compiler = _nothing_compiled
    weak: Mapping[str, Any] | None = None

    @property
    def program(self) -> dict[str, Any]:
        """The program of the run."""
        return self.as_is["program"]

    @property
    def allowed(self) -> list[int]:
        """The cpus that a run may use."""
        return self.machine["allowed"]["cpus"]

    @cached_property
    def executables(self) -> list[Executable]:
        """The programs whose files can be read."""
        found = [executable(path) for path in self.programs or ()]
        return [one for one in found if one is not None]

    @property
    def memory_bytes(self) -> int:
        """Memory that a run may use: that of the machine, or of its control group."""
        return most_memory(self.machine)

    def library(self, pattern: str) -> str | None:
        """Return the first library that begins with this pattern."""
        return next((name for name in self.libraries or () if re.match(pattern, name)), None)

    def variable(self, name: str) -> str | None:
        """Return the value of a variable as the command, the study or the user sets it."""
        inside = assigned(self.program.get("command", ()), name)
        return inside or self.program.get("env", {}).get(name) or self.environ.get(name) or None

    def setting(self, **variables: str) -> Change:
        """Return the change that sets variables of the program."""
        return {"program": with_variables(self.program, variables)}

    def no_variables(self) -> str | None:
        """Return why variables of the program's runtime cannot be set; None if they can."""
        return UNKNOWN if self.libraries is None else None

    def on(self, cpus: Sequence[int]) -> Change:
        """Return the change that runs as many threads as these cpus, each on one of them."""
        spare = [cpu for cpu in self.allowed if cpu not in cpus]
        return {"threads": len(cpus), "cpus": list(cpus), "sampler_cpu": spare[-1] if spare else None}


def most_memory(machine: Mapping[str, Any]) -> int:
    """Return the memory of a machine that programs may use: that of the control group, where it is less."""
    whole = sum(node["memory_bytes"] for node in machine["nodes"])
    return min(whole, machine["allowed"].get("memory_bytes", whole))


def situation(
    folder: Folder,
    as_is: RunSpec,
    fewer: Sequence[RunSpec],
    machine: dict[str, Any],
    environ: Mapping[str, str],
    compiled: Compiler = _nothing_compiled,
) -> Situation:
    """Gather what remedies may know about a run of a study."""
    same = {spec["id"] for spec in folder.read_plan() if _levels(spec) == _levels(as_is) and _as_set(spec)}
    records = [record for record in folder.read_records() if record["id"] in same]
    mapped = [one for record in records if (one := record.get("mapped"))]
    names = [
        tuple(dict.fromkeys(name for one in mapped for name in one[kind])) if mapped else None
        for kind in ("programs", "libraries")
    ]
    study_spec = folder.read_study_spec()
    own = cast("list[dict[str, Any]]", study_spec.get("remedy", []))
    return Situation(
        as_is=as_is,
        fewer=tuple(fewer),
        machine=machine,
        programs=names[0],
        libraries=names[1],
        waits_for_disk=any(map(_waits_for_disk, records)),
        environ=environ,
        own=tuple(own),
        compiled=compiled,
        weak=study_spec.get("design", {}).get("weak"),
    )


def _levels(spec: RunSpec) -> dict[str, Any]:
    return {name: level for name, level in spec["cell"].items() if name != "threads"}


def _as_set(spec: RunSpec) -> bool:
    """Whether the run has the program's own settings: an allocator that was loaded into it is none of its libraries."""
    return role_of(spec) not in ("remedy", "intervention")


def _waits_for_disk(record: Record) -> bool:
    # The form of observed threads has not been checked.
    states: list[Any] = [thread.get("states") for thread in cast("list[dict[str, Any]]", record["observed_threads"])]
    return any(isinstance(one, dict) and bool(cast("dict[str, Any]", one).get("disk")) for one in states)
