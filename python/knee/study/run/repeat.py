"""Adds blocks to the plan of a study that repeat those that other programs disturbed."""

from __future__ import annotations

import json
from collections.abc import Sequence

from knee.store import Folder, design_block, write_whole
from knee.study.design.repeats import repeats
from knee.study.run.execute import locked, remaining


def repeat(folder: Folder, blocks: Sequence[int], most: int) -> int:
    """Let the plan repeat these blocks of the design, those first that were made longest ago.

    The plan grows by whole blocks or not at all, and only when all of it is made: so a study that is killed meanwhile
    goes on where it was.

    Parameters
    ----------
    folder, blocks
        The study, and what to repeat of it.
    most
        How many at most.

    Returns
    -------
    int
        How many blocks were added.

    Raises
    ------
    StudyError
        When the study is being run by another process.
    """
    with locked(folder):
        if remaining(folder):
            return 0
        plan, design = folder.read_plan(), folder.read_study_spec().get("design", {})
        latest = {design_block(spec): spec["block"] for spec in plan}
        chosen = sorted(blocks, key=latest.__getitem__)[:most]
        if chosen:
            plan += repeats(plan, chosen, design.get("seed", 1), design.get("pair"))
            write_whole(folder.plan, "".join(json.dumps(spec) + "\n" for spec in plan))
        return len(chosen)
