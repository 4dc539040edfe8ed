"""Trials of a program that edits the study it belongs to."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from trials import BLOCKS, STUDY, Place, Trial, runs_fault, with_said

from knee.store import Folder


def edits() -> Iterator[Trial]:
    """A program that edits its own study in its first or last run."""
    files = ("records.jsonl", "plan.jsonl", "machine.json", "study.toml", ".lock", "samples", "samples/0001.csv.gz")
    for at, name, (edit, act) in itertools.product((1, BLOCKS), files, EDITS.items()):
        yield (
            f"{edit}: {name} in run {at}",
            lambda place, at=at, n=name, act=act: _edits(place, at, act.format(f"s/{n}")),
        )
    for at, (edit, act) in itertools.product((1, 2, BLOCKS), OF_FOLDER.items()):
        yield f"{edit} in run {at}", lambda place, at=at, act=act: _edits(place, at, act)


EDITS = {
    "a line that is no JSON": "echo garbage >> {0}",
    "a line that does not end": "printf '{{' >> {0}",
    "the last line again": "tail -n 1 {0} >> {0}.new; cat {0}.new >> {0}; rm {0}.new",
    "emptied": "true > {0}",
    "half of it cut off": "truncate -s $(($(stat -c %s {0}) / 2)) {0}",
    "a line cut off": "sed -i '$d' {0}",
    "a line cut off in place": "sed '$d' {0} > new; cat new > {0}",
    "digits changed in place": "sed 's/1/2/g' {0} > new; cat new > {0}",
    "removed": "rm -r {0}",
    "renamed": "mv {0} {0}.old",
    "replaced by a copy": "cp -r {0} new; rm -r {0}; mv new {0}",
    "replaced by a folder": "rm -r {0}; mkdir {0}",
    "replaced by a pipe": "rm -r {0}; mkfifo {0}",
    "replaced by a link to /dev/null": "rm -r {0}; ln -s /dev/null {0}",
    "replaced by a link to itself": "rm -r {0}; ln -s {0} {0}",
}

OF_FOLDER = {
    "the folder removed": "rm -r s",
    "the folder renamed": "mv s t",
    "the folder renamed and linked": "mv s t; ln -s t s",
    "the folder replaced by a copy": "cp -r s t; rm -r s; mv t s",
    "the folder emptied": "rm -r s/* s/.lock",
    "the folder read-only": "chmod 555 s",
    "ended.json made": 'echo \'{"schema": 1, "block": 1, "why": "so"}\' > s/ended.json',
    "analysis.json a folder": "mkdir s/analysis.json",
    "analysis.json a link": "ln -s /dev/null s/analysis.json",
    "times of records changed": "sed -i 's/wall_ns\":/wall_ns\":9/' s/records.jsonl",
    "times of records changed in place": "sed 's/wall_ns\":/wall_ns\":9/' s/records.jsonl > n; cat n > s/records.jsonl",
    "cpus of the plan changed": 'sed -i \'s/"cpus": .0./"cpus": [1]/\' s/plan.jsonl',
    "the plan in another order": "tac s/plan.jsonl > n; mv n s/plan.jsonl",
    "a block of the plan removed": "sed -i '/\"block\": 3/d' s/plan.jsonl",
    "the machine changed": "sed -i 's/\"size_bytes\": /&9/' s/machine.json",
    "the design changed": "sed -i 's/seed = 1/seed = 2/' s/study.toml",
    "the claims changed": "printf '[[claim]]\\n' >> s/study.toml",
    "another runner": "rm s/.lock; test -e once || { touch once; $KNEE_BIN study --resume s > /dev/null 2>&1; }",
    "another study": "$KNEE_BIN study --no-report --no-pilot --blocks 1 --factor threads=1 -- true > /dev/null 2>&1",
}


def _edits(place: Place, at: int, act: str) -> str | None:
    words = place.program(at, f"cp -r s before; {act}")
    done = place.knee(*STUDY, "--no-report", "--out", "s", "--", *words)
    if fault := done.fault(0, 2):
        return with_said(done, fault)
    if done.status == 2:
        errors = [line for line in done.said.splitlines() if line.startswith("knee: ") and not PROGRESS.match(line)]
        return None if len(errors) == 1 else with_said(done, f"{len(errors)} errors")
    # A study that ends well is whole, and as it was planned and measured.
    folder, before = Folder(place.study), Folder(place.path / "before")
    if fault := runs_fault(folder, samples=False):
        return with_said(done, f"silently wrong: {fault}")
    for ours, theirs in ((folder.plan, before.plan), (folder.machine, before.machine)):
        if ours.read_bytes() != theirs.read_bytes():
            return with_said(done, f"silently wrong: {ours.name} has changed")
    first = before.records.read_bytes()
    if not folder.records.read_bytes().startswith(first):
        return with_said(done, "silently wrong: earlier records have changed")
    now, then = (one.read_study_spec() for one in (folder, before))
    return None if now == then else with_said(done, "silently wrong: study.toml has changed")


PROGRESS = re.compile(r"knee: (note: |block |run \S+: |duration: |other programs |cannot write the samples )")
