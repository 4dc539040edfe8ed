"""The folder of a study, typed, without numpy: what everybody may import."""

from knee.store.folder import Folder, write_whole
from knee.store.run import Run
from knee.store.runs import runs
from knee.store.types import SCHEMA, Changed, Level, Record, Spec, StudyError, finite

__all__ = [
    "SCHEMA",
    "Changed",
    "Folder",
    "Level",
    "Record",
    "Run",
    "Spec",
    "StudyError",
    "finite",
    "runs",
    "write_whole",
]
