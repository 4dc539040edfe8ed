"""Lets options of a study stand after a workload or a study file: moves them in front, where click reads them.

After ``--`` all words belong to the command. After a workload, a flag that is its own argument stays where it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping

from knee import _binary
from knee.store import StudyError
from knee.study.options.file import is_study_file
from knee.study.options.words import shown


def in_front(args: list[str], values: Mapping[str, bool]) -> list[str]:
    """Return the words of a command line with the options of the study in front.

    Parameters
    ----------
    args
        The words after the verb.
    values
        The study's flags, and whether a value follows.

    Examples
    --------
    >>> in_front(["s.toml", "--blocks", "3", "--copies"], {"--blocks": True, "--copies": False})
    ['--blocks', '3', '--copies', 's.toml']
    >>> in_front(["--copies", "--", "./s", "--blocks", "3"], {"--blocks": True, "--copies": False})
    ['--copies', '--', './s', '--blocks', '3']
    """
    if "--" in args:
        return args
    front: list[str] = []
    rest: list[str] = []
    own: set[str] | None = set()
    words = iter(args)
    for word in words:
        if not rest and not _is_flag(word):
            own = _arguments(word)
            if own is None:
                return args
        if not _is_flag(word) or (rest and not _is_the_studys(word.partition("=")[0], own, values)):
            rest.append(word)
            continue
        front.append(word)
        if values.get(word, False):
            value = next(words, None)
            if value is None:
                raise StudyError(f"{word} needs a value", hint="see `knee study --help`")
            front.append(value)
    return front + rest


def too_early(flag: str, args: list[str], values: Mapping[str, bool], command: str) -> StudyError | None:
    """Return the error about a workload's argument in front of the workload; None where an unknown flag is none.

    Parameters
    ----------
    flag
        The unknown flag.
    args, values
        As for :func:`in_front`.
    command
        What was called: ``knee study``.
    """
    if "--" in args:
        return None
    for at, word in enumerate(args):
        own = None if _is_flag(word) else _arguments(word)
        if own and flag in own:
            front, moved = _parted(args[:at], own - set(values))
            told = shown([*front, *args[at:], *moved])
            return StudyError(f"unknown option {flag}", hint=f"put it after the workload: {command} {told}")
    return None


def _parted(args: list[str], own: set[str]) -> tuple[list[str], list[str]]:
    """Part words in front of a workload into others, and its arguments with their values."""
    front: list[str] = []
    moved: list[str] = []
    words = iter(args)
    for word in words:
        flag, equals, _ = word.partition("=")
        if flag not in own:
            front.append(word)
            continue
        moved.append(word)
        moved += [] if equals else itertools.islice(words, 1)
    return front, moved


def _is_flag(word: str) -> bool:
    return word.startswith("-") and len(word) > 1


def _is_the_studys(flag: str, own: set[str], values: Mapping[str, bool]) -> bool:
    """Return whether a flag after the first word is the study's; after a study file, every flag is."""
    short = not flag.startswith("--") and flag[:2] in values
    return not own or (flag not in own and (flag in values or short))


def _arguments(word: str) -> set[str] | None:
    """Return the flags of a workload's arguments, an empty set for a study file, None for anything else."""
    if is_study_file(word):
        return set()
    listed = {one["name"]: one["params"] for one in _binary.ask("workloads")["workloads"]}
    return {f"--{param['name']}" for param in listed[word]} if word in listed else None
