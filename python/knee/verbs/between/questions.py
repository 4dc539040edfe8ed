"""Questions between the blocks of a study: what it has answered so far, and which runs would tell more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from knee import terminal
from knee.store import Folder, design_block, role_of, runs
from knee.study.design.blocks import blocks_made, blocks_within
from knee.study.design.duration import words
from knee.study.questions.questions import BY_NAME
from knee.study.run import asking, execute

if TYPE_CHECKING:
    from knee.explain.asking.wanted import Wanted


def asks(folder: Folder) -> execute.Ask | None:
    """Return what asks for runs that explain the loss; None if the study does not ask for any."""
    design = folder.read_study_spec().get("design", {})
    share = design.get("explain")
    if share is None or "weak" in design:
        return None
    planned = len({design_block(spec) for spec in folder.read_plan() if role_of(spec) == "measure"})
    allowed = len(folder.read_machine()["allowed"]["cpus"])
    told: set[tuple[str, str]] = set()

    def ask(block: int) -> bool:
        # Imported between two blocks, when nothing is measured.
        from knee.explain.asking import costs
        from knee.explain.asking import wanted as explain
        from knee.explain.stopping import elapsed_s, own_s

        made = runs(folder)
        block_s = own_s(made) / max(1, block - 1)
        # Where no run can start, all of them take no time.
        took_s = costs.seconds(made)
        with_gaps_s = block_s * elapsed_s(made) / took_s if took_s > 0 else 0.0
        blocks = blocks_within(design, blocks_made(design, planned, block_s), with_gaps_s)
        if not told and len(made) >= explain.FIRST_LAUNCHES:
            told.add(("the first answer", ""))
            for line in explain.answered(made, allowed):
                terminal.err(f"knee: provisional first answer, from {len(made)} launches: {line}")
        coming = asking.Block(folder, block)
        if coming.begun:
            return False
        wanted = explain.wanted(made, allowed, explain.Left(block, blocks, share, coming.testable))
        _tell([one for one in wanted if (one.name, str(one.cell)) not in told])
        told.update((one.name, str(one.cell)) for one in wanted)
        return coming.add([(one.cell, one.name) for one in wanted]) > 0

    return ask


def _tell(wanted: Sequence[Wanted]) -> None:
    """Print each question once, and what it costs in a block."""
    for one in wanted:
        question = BY_NAME.get(one.name)
        text = question.asks if question else f"Does the loss go with another setting? A test of: {one.name}."
        on = f" on {one.cell['threads']} threads" if "threads" in one.cell else ""
        terminal.err(f"knee: from block {one.block} on{on}: {text} (about {words(one.cost_s)} a block)")
