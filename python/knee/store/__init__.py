"""The folder of a study, typed, without numpy: what everybody may import."""

from knee.store.folder import Folder, write_whole
from knee.store.runs import Run, runs
from knee.store.types import SCHEMA, Level, Record, Spec, StudyError, finite

__all__ = ["SCHEMA", "Folder", "Level", "Record", "Run", "Spec", "StudyError", "finite", "runs", "write_whole"]
