"""The command line of the Python verbs. A verb is imported only when it is called, which keeps start-up short."""

from __future__ import annotations

import difflib
import io
import json
import keyword
import re
import sys
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pathlib import Path

import click

from knee import _binary, libraries
from knee.store import StudyError
from knee.verbs import EXIT_STOPPED, EXIT_USAGE, Stopped, say

ALIKE = 0.75
"""How similar a known flag must be to be suggested, by difflib's ratio: click suggests from 0.6 on."""


def main() -> int:
    """Run a verb, print an error with its hint, and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        # Names and "…" are UTF-8, which a terminal with another encoding may not have.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        return int(verbs.main(prog_name="knee", standalone_mode=False) or 0)
    except click.exceptions.Exit as asked:
        return asked.exit_code
    except click.ClickException as error:
        say(*_usage(error))
    except StudyError as error:
        say(str(error), error.hint)
    except MemoryError:
        say("out of memory", "a machine with more memory, or a higher limit (ulimit -v)")
    except RecursionError:
        say("a file of the study is nested too deeply", "remove what you did not write yourself")
    except (ImportError, AttributeError) as error:
        if not (reason := libraries.fault(error)):
            raise
        say(*reason)
    except OSError as error:
        say(f"{error.filename or 'reading or writing failed'}: {error.strerror or error}")
    except (KeyboardInterrupt, click.Abort, Stopped):
        return EXIT_STOPPED
    finally:
        _binary.hang_up()
    return EXIT_USAGE


def _usage(error: click.ClickException) -> tuple[str, str]:
    """Return what is wrong with a command line, in knee's words, and the one thing to try."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    hint = f"see `{context.command_path if context else 'knee'} --help`"
    match error:
        case click.NoSuchOption():
            near = difflib.get_close_matches(error.option_name, error.possibilities or [], 1, ALIKE)
            return f"unknown option {error.option_name!r}", f"did you mean {near[0]}?" if near else hint
        case click.BadOptionUsage():
            needs = "takes no value" if "does not take" in error.message else "needs a value"
            return f"{error.option_name} {needs}", hint
        case click.MissingParameter() if error.param is not None:
            return f"missing {error.param.human_readable_name}", hint
        case click.BadParameter() if error.param is not None:
            return f"{error.param.opts[0]}: {error.message.rstrip('.')}", hint
        case _:
            message = error.format_message().rstrip(".")
            extra = re.search(r"unexpected extra arguments? \((.*)\)", message)
            return f"unexpected argument {extra[1]!r}" if extra else message, hint


@cache
def listed() -> dict[str, str]:
    """Return every Python verb with its line of help, which is empty for a hidden verb."""
    return json.loads(Path(__file__).with_name("verbs").joinpath("verbs.json").read_text(encoding="utf-8"))


class Verbs(click.Group):
    """All Python verbs, each imported when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the verbs."""
        del ctx
        return list(listed())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb. Its help is its line in the list, followed by the docstring in its file."""
        del ctx
        return verb(cmd_name) if cmd_name in listed() else None


@cache
def verb(name: str) -> click.Command:
    """Import a verb and complete its help."""
    # A word of Python's own, like try, cannot name a module or a function.
    called = f"{name}_" if keyword.iskeyword(name) else name
    command: click.Command = getattr(import_module(f"knee.verbs.{called}"), called)
    line = listed()[name]
    command.hidden = not line
    command.help = f"{line}.\n\n{cleandoc(command.help or '')}" if line else command.help
    command.context_settings.setdefault("max_content_width", 80)
    return command


@click.group(cls=Verbs, no_args_is_help=True)
def verbs() -> None:
    """Find the knee of your speedup curve, know why it bends, move it."""
