"""The page's template, compiled. To compile it takes a twentieth of a report's time, so the result is kept."""

from __future__ import annotations

import contextlib
from importlib import resources
from pathlib import Path
from pickle import UnpicklingError

from jinja2 import Environment, FileSystemBytecodeCache, FunctionLoader, Template
from jinja2.bccache import Bucket

from knee.report.kept import kept_folder


class _KeptBytecode(FileSystemBytecodeCache):
    """Compiled templates in a folder that may not be writable. A template that changed is compiled again."""

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a compiled template, if it is there and whole."""
        try:
            super().load_bytecode(bucket)
        except (OSError, EOFError, ValueError, UnpicklingError):
            bucket.reset()

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a compiled template, where that is possible."""
        with contextlib.suppress(OSError):
            Path(self.directory).mkdir(parents=True, exist_ok=True)
            super().dump_bytecode(bucket)


def template(name: str, **filters: object) -> Template:
    """Return a template of the report by its file name, with these filters."""
    environment = Environment(
        loader=FunctionLoader(resource),
        bytecode_cache=_KeptBytecode(str(kept_folder())),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(filters)  # pyright: ignore[reportCallIssue, reportArgumentType]
    return environment.get_template(name)


def resource(name: str) -> str:
    """Return the text of a file that lies beside this one."""
    return resources.files("knee.report").joinpath(name).read_text(encoding="utf-8")
