"""Checks that a study can be written: its files are UTF-8, but names of files and arguments can be any bytes."""

from __future__ import annotations

from knee.store import StudyError
from knee.study.spec import StudySpec


def check_text(study_spec: StudySpec) -> None:
    """Raise :class:`StudyError` if a text of the study is not UTF-8."""
    text = study_spec.to_toml()
    try:
        text.encode()
    except UnicodeEncodeError as error:
        line = text[: error.start].rpartition("\n")[2] + text[error.start :].partition("\n")[0]
        written = line.encode(errors="surrogateescape").decode(errors="backslashreplace")
        directory = line.startswith("directory")
        hint = "rename the folder, or start knee in another one" if directory else "write names and arguments in UTF-8"
        raise StudyError(f"cannot write the study: {written}: it is not UTF-8", hint=hint) from error
