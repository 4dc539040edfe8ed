"""A self-test in the terminal."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from knee.explain.selftest import SelfTest, Share


def show(found: SelfTest) -> None:
    """Print what a self-test found, at most as wide as the terminal."""
    console = Console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("compared", overflow="fold")
    for name in ("called slower", "90 % interval", "should be"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_row("A with A: false alarms", *_cells(found.alarms), "5 %")
    more = f"A with {100 * (found.planted - 1):.1f} % more work: found"
    table.add_row(more, *_cells(found.found), "90 % or more")
    console.print(table)
    console.print(
        Text(
            f"Equals of one pair differed by {100 * found.noise:.1f} % (standard deviation); "
            f"the planted difference was measured as {100 * (found.measured - 1):+.1f} %."
        )
    )
    if found.bad:
        console.print(Text(f"{found.bad} runs were bad and do not count."))
    words = "Nothing here speaks against what knee promises." if found.passed else _failure(found)
    console.print(Text(words, style="bold"))


def _cells(share: Share) -> tuple[str, str]:
    ends = share.interval
    low, high = 100 * ends.low, 100 * ends.high
    return f"{share.hits} of {share.trials}", "-" if low != low else f"{low:.0f}-{high:.0f} %"


def _failure(found: SelfTest) -> str:
    if not found.alarms.trials or not found.found.trials:
        return "Nothing could be compared: too few good runs."
    if found.found.interval.high < 0.90:
        return "A planted difference is found too seldom: this machine is too noisy for short runs."
    return "Equals are called slower too often: runs of one pair are not alike on this machine."
