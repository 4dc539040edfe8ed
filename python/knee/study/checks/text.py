"""Checks that a study can be written: files of a study are UTF-8, names of files and arguments may be any bytes."""

from __future__ import annotations

from knee.store import StudyError
from knee.study.spec import StudySpec


def check_text(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` for a study with a text that is not UTF-8."""
    text = study_spec.to_toml()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text[: error.start].rpartition("\n")[2] + text[error.start :].partition("\n")[0]
        shown = line.encode(errors="surrogateescape").decode(errors="backslashreplace")
        directory = line.startswith("directory")
        hint = "rename the folder, or start knee in another one" if directory else "a study is written in UTF-8"
        raise StudyError(f"not UTF-8, so the study cannot be written: {shown}", hint=hint) from error
