"""A self-test in the terminal."""

from __future__ import annotations

from rich import box
from rich.table import Table

from knee.explain.selftest import SelfTest, Share
from knee.explain.verdict.words import counted
from knee.terminal.console import Console, Text


def show(result: SelfTest) -> None:
    """Print the result of a self-test, at most as wide as the terminal."""
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("compared", overflow="fold")
    for name in ("called slower", "90 % interval", "should be"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("A with A: false alarms", *_cells(result.alarms), "5 %")
    more = f"A with {100 * (result.planted - 1):.1f} % more work: found"
    table.add_row(more, *_cells(result.found), "90 % or more")
    console.table(table)
    console.print(
        Text(
            f"Two equal runs of a pair differed by {100 * result.noise:.1f} % (standard deviation); "
            f"the planted difference was measured as {100 * (result.measured - 1):+.1f} %."
        )
    )
    if result.bad:
        console.print(Text(f"{counted(result.bad, 'run')} {'was' if result.bad == 1 else 'were'} rejected."))
    words = "Passed: error rates are consistent with knee's claims." if result.passed else _failure(result)
    console.print(Text(words, style="bold"))


def _cells(share: Share) -> tuple[str, str]:
    ends = share.interval
    low, high = 100 * ends.low, 100 * ends.high
    return f"{share.hits} of {share.trials}", "-" if low != low else f"{low:.0f}-{high:.0f} %"


def _failure(result: SelfTest) -> str:
    if not result.alarms.trials or not result.found.trials:
        return "Nothing could be compared: too few good runs."
    if result.found.interval.high < 0.90:
        return "Failed: a planted difference is found too rarely; this machine is too noisy for short runs."
    return "Failed: equal programs are called slower too often; the runs of a pair differ too much on this machine."
