"""Reads and writes the folder of a study, with types and checks, without numpy. Every other room may import it."""

from knee.store.claims import KINDS, MOST_LAST, claimed_counts, lacking
from knee.store.contents import Contents
from knee.store.files.ended import End, read_end, write_end
from knee.store.files.folder import Folder
from knee.store.files.observed import observed_threads
from knee.store.files.samples import STATES, WORKLOAD, Series, noted, published, samples
from knee.store.files.trials import FactChange, Noted, Trials, read_trials, write_trials
from knee.store.files.waits import Wait, note_wait, read_waits
from knee.store.records.counters import Counted, counted, counts_cells, uncounted
from knee.store.records.counts import Count, count_named
from knee.store.records.inputs import INPUTS
from knee.store.records.own_counts import OWN_COUNTS, own_counts
from knee.store.records.repeats import design_block
from knee.store.records.run import Run, cut_off, out_of_memory, start_of
from knee.store.records.runs import all_runs, runs
from knee.store.roles import is_trial, role_of
from knee.store.seam import Changed, Level, Record, Role, RunSpec
from knee.store.shown import shown, shown_within
from knee.store.types import SCHEMA, VARIABLES, StudyError, finite, one_of
from knee.store.write import make_folder, opened_to_write, write_whole

__all__ = [
    "INPUTS",
    "KINDS",
    "MOST_LAST",
    "OWN_COUNTS",
    "SCHEMA",
    "STATES",
    "VARIABLES",
    "WORKLOAD",
    "Changed",
    "Contents",
    "Count",
    "Counted",
    "End",
    "FactChange",
    "Folder",
    "Level",
    "Noted",
    "Record",
    "Role",
    "Run",
    "RunSpec",
    "Series",
    "StudyError",
    "Trials",
    "Wait",
    "all_runs",
    "claimed_counts",
    "count_named",
    "counted",
    "counts_cells",
    "cut_off",
    "design_block",
    "finite",
    "is_trial",
    "lacking",
    "make_folder",
    "note_wait",
    "noted",
    "observed_threads",
    "one_of",
    "opened_to_write",
    "out_of_memory",
    "own_counts",
    "published",
    "read_end",
    "read_trials",
    "read_waits",
    "role_of",
    "runs",
    "samples",
    "shown",
    "shown_within",
    "start_of",
    "uncounted",
    "write_end",
    "write_trials",
    "write_whole",
]
