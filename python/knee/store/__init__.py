"""The folder of a study, typed, without numpy: what everybody may import."""

from knee.store.claims import KINDS, MOST_LAST
from knee.store.contents import Contents
from knee.store.counters import Counted, counted
from knee.store.counts import Count, count_named
from knee.store.ended import End, read_end, write_end
from knee.store.folder import Folder, write_whole
from knee.store.observed import observed_threads
from knee.store.run import Run, cut_off, role_of
from knee.store.runs import runs
from knee.store.samples import STATES, WORKLOAD, Series, noted, published, samples
from knee.store.seam import Changed, Level, Record, Role, RunSpec
from knee.store.types import SCHEMA, StudyError, finite

__all__ = [
    "KINDS",
    "MOST_LAST",
    "SCHEMA",
    "STATES",
    "WORKLOAD",
    "Changed",
    "Contents",
    "Count",
    "Counted",
    "End",
    "Folder",
    "Level",
    "Record",
    "Role",
    "Run",
    "RunSpec",
    "Series",
    "StudyError",
    "count_named",
    "counted",
    "cut_off",
    "finite",
    "noted",
    "observed_threads",
    "published",
    "read_end",
    "role_of",
    "runs",
    "samples",
    "write_end",
    "write_whole",
]
