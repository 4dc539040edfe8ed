"""Adds repeats of disturbed blocks to the plan of a study."""

from __future__ import annotations

import json
from collections.abc import Sequence

from knee.store import Folder, design_block, write_whole
from knee.study.design.repeats import repeats
from knee.study.run.execute import locked, remaining


def repeat(folder: Folder, blocks: Sequence[int], most: int) -> int:
    """Add repeats of these blocks to the plan, the oldest blocks first.

    The plan grows only when all of it has run, and by whole blocks, so a study that is killed meanwhile can resume.

    Parameters
    ----------
    folder, blocks
        The study, and its blocks to repeat.
    most
        Blocks to add, at most.

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
