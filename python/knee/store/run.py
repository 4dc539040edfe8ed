"""A run: what was planned joined with what was recorded, and judged usable or not."""

from __future__ import annotations

from dataclasses import dataclass

from knee.store.seam import Changed, Exit, Level, Record, Role, RunSpec


@dataclass(frozen=True)
class Run:
    """A planned run and what became of it.

    ``bad`` says why the run cannot be used; ``time_s`` is what the study measures (wall time, a phase, or a printed
    number), ``cpu_s`` the CPU time that belongs to it (None where there is no such thing). ``waited_ns`` is how long
    its threads together were ready and had no cpu (None where no kernel says); the record here has no threads, which
    are most of it: a hundred thousand runs have to fit into memory. ``work`` is how many times the work of one thread
    it does: as many as it has threads, in a study whose input grows with them. ``replaced`` marks a failed run of a
    block that was repeated.
    """

    order: int
    spec: RunSpec
    record: Record
    bad: str | None
    time_s: float
    cpu_s: float | None
    waited_ns: int | None = None
    work: int = 1
    replaced: bool = False

    @property
    def threads(self) -> int:
        """Threads the program was told to use."""
        return self.spec["threads"]

    @property
    def cell(self) -> dict[str, Level]:
        """The level of every factor."""
        return self.spec["cell"]

    @property
    def role(self) -> Role:
        """What the run is for."""
        return role_of(self.spec)

    @property
    def is_control(self) -> bool:
        """Whether it is no run of the design itself, but one beside it: the baseline, copies, a run that counts."""
        return self.role != "measure"

    @property
    def changed(self) -> list[Changed]:
        """Held facts that were not what they were when the study was planned."""
        return self.record.get("changed") or []


def role_of(spec: RunSpec) -> Role:
    """Return what a run is for; a line of the plan that does not say is one of the design."""
    return spec.get("role", "measure")


def joined(order: int, spec: RunSpec, record: Record, *, weak: bool = False) -> Run:
    """Join a run spec with its record. ``weak`` says whether the input grows with the threads."""
    time_s, cpu_s, missing = _measured(record)
    slim: Record = {**record, "observed_threads": []}
    bad, work = _failure(record) or missing, spec["threads"] if weak else 1
    return Run(order, spec, slim, bad, time_s, cpu_s, _waited(record), work)


def _waited(record: Record) -> int | None:
    waits: list[object] = [thread.get("run_delay_ns") for thread in record["observed_threads"]]
    # Threads are checked by who looks at them one by one.
    known = [wait for wait in waits if isinstance(wait, int)]
    return sum(known) if known and len(known) == len(waits) else None


_SECONDS = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def _measured(record: Record) -> tuple[float, float | None, str | None]:
    """Time, CPU time that belongs to it, and why there is no time."""
    wall, cpu = record["wall_ns"] / 1e9, (record["user_ns"] + record["system_ns"]) / 1e9
    metric = record.get("metric")
    if metric is None:
        return wall, cpu, None if wall > 0 else f"wall time is {wall} s, not a time"
    if "value" not in metric or "unit" not in metric:
        return wall, None, f"no {metric['name']}: {metric.get('unavailable', 'it has no value')}"
    phases = [phase for phase in record["phases"] if phase["name"] == metric["name"]]
    phase_cpu = sum(phase["cpu_ns"] for phase in phases) / 1e9 if phases else None
    value = metric["value"] * _SECONDS.get(metric["unit"], 1.0)
    return value, phase_cpu, None if value > 0 else f"{metric['name']} is {value}, not a time"


def cut_off(end: Exit) -> str | None:
    """Say why a program did not end by itself; None where it did."""
    if error := end.get("error"):
        return error
    if (seconds := end.get("timeout_s")) is not None:
        return f"stopped after {seconds} s"
    if (signal := end.get("signal")) is not None:
        return f"ended by signal {signal}"
    return None


def _failure(record: Record) -> str | None:
    end, check = record["exit"], record.get("check")
    if reason := cut_off(end):
        return reason
    if check is not None and not check["ok"]:
        return f"check failed: {check.get('reason', 'no reason given')}"
    if end.get("code") != 0:
        return f"exit status {end.get('code')}"
    return None
