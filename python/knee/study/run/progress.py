"""Progress on standard error: a bar with the time left on a terminal, one line per block in a log."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Generator
from contextlib import contextmanager

from knee import terminal
from knee.store import Record, RunSpec, cut_off, out_of_memory


@contextmanager
def shown(plan: list[RunSpec], todo: int) -> Generator[Callable[[RunSpec, Record, Collection[RunSpec]], None]]:
    """Show progress while runs are made; yields the function to call after each run, with the runs that are left."""
    if not sys.stderr.isatty():
        yield _log(plan)
        return
    # Imported only for a terminal: a log does not need it.
    from rich import progress

    from knee.terminal.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TextColumn("runs"),
        progress.TimeElapsedColumn(),
        progress.TextColumn("left"),
        progress.TimeRemainingColumn(elapsed_when_finished=False),
    )
    # A bar that is drawn often takes time from a cpu that a run uses.
    with progress.Progress(*columns, console=Console(stderr=True), refresh_per_second=1) as bar:
        task = bar.add_task("measuring", total=len(plan), completed=len(plan) - todo)

        def tell(spec: RunSpec, record: Record, left: Collection[RunSpec]) -> None:
            # The plan may grow while it runs.
            done = bar.tasks[task].completed + 1
            bar.update(task, completed=done, total=done + len(left), description=f"block {spec['block']}")
            if record["exit"].get("code") != 0:
                bar.console.print(f"run {spec['id']}: {ending(record)}")

        yield tell


def _log(plan: list[RunSpec]) -> Callable[[RunSpec, Record, Collection[RunSpec]], None]:
    blocks = sorted({spec["block"] for spec in plan})
    numbers = {block: number for number, block in enumerate(blocks, 1)}

    def tell(spec: RunSpec, record: Record, left: Collection[RunSpec]) -> None:
        if record["exit"].get("code") != 0:
            terminal.err(f"knee: run {spec['id']}: {ending(record)}")
        if all(one["block"] != spec["block"] for one in left):
            terminal.err(f"knee: block {numbers[spec['block']]} of {len(numbers)} is done")

    return tell


def ending(record: Record) -> str:
    """Say how a run that failed ended: the reason or the exit status, and the first line of its errors.

    A traceback says at its end what was wrong.
    """
    end = record["exit"]
    if reason := cut_off(end):
        return reason
    said = str(record["output"].get("stderr_tail", "")).strip().splitlines()
    telling = next(iter(said), "")
    if telling.startswith("Traceback"):
        telling = said[-1]
    return f"exit status {end.get('code')}{out_of_memory(end)}" + (f": {telling[:100]}" if telling else "")
