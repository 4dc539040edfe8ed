"""Remedies in the terminal: a row for each that was tried, the best one, and what the others say about causes."""

from __future__ import annotations

from collections.abc import Sequence

from rich import box
from rich.padding import Padding
from rich.table import Table

from knee.explain.tried import Tried, best
from knee.stats.answers import MARGIN
from knee.stats.intervals import Ratio
from knee.store import FactChange
from knee.terminal.console import Console, Text


def show(name: str, threads: int, tried: Sequence[Tried], changed: Sequence[FactChange] | None) -> None:
    """Print the result of ``knee try``, at most as wide as the terminal."""
    console = Console()
    console.print(Text(f"{name}: remedies at {threads} threads, beside runs of the program as it is"))
    console.table(_table(tried))
    for one in tried:
        if one.rejected is not None:
            console.print(Text(f"{one.remedy}: rejected: {one.rejected}"))
    console.print(Text(conclusion(tried), style="bold"))
    for line in fits(tried):
        console.print(Text(line))
    if any(one.time.bounds for one in tried):
        console.print(Text("Intervals allow for other programs, which disturbed some runs (--wait-quiet)."))
    if (many := sum(one.rejected is None for one in tried)) > 1:
        console.print(
            Text(f"Answers allow for {many} remedies that were tried at once (Holm); intervals are for single ones.")
        )
    console.print(Text(machine(changed)))


def _table(tried: Sequence[Tried]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("remedy", overflow="fold")
    for head in ("as fast", "90 % interval", "CPU time"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("answer", no_wrap=True)
    for one in tried:
        gain = one.gain
        answer = "rejected" if one.rejected is not None else one.answer
        table.add_row(one.remedy, _times(gain.estimate), _ends(gain), _times(one.cpu.estimate), answer)
    return table


def _times(value: float) -> str:
    return "-" if value != value else f"{value:.2f}x"


def _ends(gain: Ratio) -> str:
    ends = gain.interval
    return "-" if ends.low != ends.low else f"{ends.low:.2f}-{ends.high:.2f}"


def conclusion(tried: Sequence[Tried]) -> str:
    """Return which remedy is best; or that none gains, or that none can be told."""
    found = best(tried)
    if found is not None:
        gain = found.gain
        how = f" ({found.does})" if found.does else ""
        note = f" Note: {found.note}." if found.note else ""
        ends = f"[{gain.interval.low:.2f}, {gain.interval.high:.2f}]"
        return f"Best: {found.remedy}, {_times(gain.estimate)} as fast {ends}{how}.{note}"
    usable = [one for one in tried if one.rejected is None]
    if not usable:
        return "Every remedy was rejected."
    if all(one.answer in ("equal", "slower") for one in usable):
        return f"No remedy gains: each is equal within {100 * MARGIN:g} %, or slower."
    return f"Cannot tell whether any remedy gains.{_more(usable)}"


def _more(usable: Sequence[Tried]) -> str:
    """Return what would tell whether the remedy that looks best gains."""
    known = [one for one in usable if one.time.values > 1]
    if not known:
        return ""
    hopeful = min(known, key=lambda one: one.time.estimate)
    if hopeful.time.bounds:
        return " A quiet machine would tell: --wait-quiet."
    more = hopeful.time.more_blocks(MARGIN, len(usable))
    if more is None:
        return ""
    # Fewer than two are not made.
    more = max(2, more)
    return f" About {more} more blocks would tell for {hopeful.remedy}: --blocks {more}."


def fits(tried: Sequence[Tried]) -> list[str]:
    """Return what the answers say about causes: those that faster remedies treat, and those that equal ones treat."""
    found: list[str] = []
    for answer, words in (("faster", "fits"), ("equal", "does not fit")):
        by_causes: dict[tuple[str, ...], list[str]] = {}
        for one in tried:
            if one.rejected is None and one.answer == answer and one.treats:
                by_causes.setdefault(one.treats, []).append(one.remedy)
        for causes, names in by_causes.items():
            found.append(f"{answer.capitalize()}, which {words} {'; '.join(causes)}: {', '.join(names)}.")
    return found


def machine(changed: Sequence[FactChange] | None) -> str:
    """Return whether the machine is as before the trials."""
    if changed is None:
        return "The machine's facts were not compared: the trials have not ended."
    if not changed:
        return "The machine's facts (knee machine) are the same after the trials as before."
    listed = "; ".join(f"{one.fact}: {one.before} before, {one.after} after" for one in changed)
    return f"Facts of the machine that changed during the trials, not by knee: {listed}."


def show_list(
    threads: int,
    applying: Sequence[tuple[str, str, str]],
    others: Sequence[tuple[str, str]],
    root: Sequence[tuple[str, str]],
) -> None:
    """Print all remedies: those that apply with what they change, the others with the reason, those that need root."""
    console = Console()

    def listed(head: str, rows: Sequence[tuple[str, str]]) -> None:
        if not rows:
            return
        console.print(Text(head, style="bold"))
        for name, says in rows:
            console.print(Text(f"  {name}"))
            console.print(Padding(Text(says), (0, 0, 0, 6), expand=False))

    tells = [(name, f"{does}\nnote: {note}" if note else does) for name, does, note in applying]
    listed(f"Remedies that apply at {threads} threads:", tells)
    listed("Do not apply here:", others)
    listed("Need root; knee does not run these:", root)
