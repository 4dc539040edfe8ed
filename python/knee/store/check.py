"""Checks values read from files: whether they have the required fields and types, and what is wrong if not.

Unknown fields are allowed, since a newer knee with the same schema may write more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

from knee.store.types import one_of

WORDS = {
    int: "a whole number",
    float: "a number",
    str: "text",
    bool: "true or false",
    dict: "an object",
    list: "a list",
}

MOST_KNOWN = 10_000
"""Most combinations of fields and types that are cached; records of one study have a few."""

Signature = tuple[str | type, ...]


@dataclass(frozen=True)
class Check:
    """What a value must be: exactly one of the types, since JSON has no subtypes.

    An object has ``fields``, each with its name, whether it may be missing or null, and its check; fields of any other
    name are checked by ``others``. A list has ``members``; text is one of ``choices`` if there are any. ``called`` is
    the name of the value in messages, if the types do not give one. ``least`` is the smallest number, which only
    ``too_small`` looks at. Where ``strict``, a field may be missing, but not null.
    """

    types: frozenset[type]
    fields: tuple[tuple[str, bool, Check], ...] = ()
    others: Check | None = None
    members: Check | None = None
    choices: frozenset[str] = frozenset()
    called: str = ""
    least: float | None = None
    strict: bool = False
    _known: set[Signature] = field(default_factory=set[Signature], compare=False)

    def fits(self, value: object) -> bool:
        """Whether a value passes. This is called for every line, so it is fast and gives no reason."""
        kind = type(value)
        if kind not in self.types:
            return False
        if kind is str:
            return not self.choices or value in self.choices
        if self.fields and kind is dict:
            found = cast("dict[str, object]", value)
            # Objects of one kind have the same fields and types, which are checked only once.
            signature = (*found, *map(type, found.values()))
            if signature not in self._known and not self._learn(signature, found):
                return False
            for name, check in self._deep:
                one = found.get(name)
                if one is not None and not check.fits(one):
                    return False
        inner = self.others if kind is dict else self.members
        if inner is None:
            return True
        within = cast("dict[str, object]", value).values() if kind is dict else cast("list[object]", value)
        return inner.types.issuperset(map(type, within)) and (inner.plain or all(map(inner.fits, within)))

    @cached_property
    def plain(self) -> bool:
        """Whether only the type is checked."""
        return not self.fields and self.others is None and self.members is None and not self.choices

    @cached_property
    def _deep(self) -> list[tuple[str, Check]]:
        """Fields whose values need more than a check of their type."""
        return [(name, check) for name, _, check in self.fields if not check.plain]

    def _learn(self, signature: Signature, found: dict[str, object]) -> bool:
        for name, may, check in self.fields:
            one = found.get(name)
            if type(one) not in check.types and not (may and one is None and not (self.strict and name in found)):
                return False
        if len(self._known) < MOST_KNOWN:
            self._known.add(signature)
        return True

    def mismatch(self, value: object, name: str = "") -> str | None:
        """Return what is wrong with a value, with the name of the field; None if it is correct.

        Examples
        --------
        >>> thing({"id": TEXT}).mismatch({"id": 7})
        'id is not text'
        >>> thing({"phases": listed(thing({"name": TEXT, "wall_ns": WHOLE}))}).mismatch({"phases": [{"name": "sum"}]})
        'phases 1 has no wall_ns'
        >>> thing({}, {"bind": choice("each", "set")}).mismatch({"bind": "tight"})
        "bind is 'tight'; expected each or set"
        """
        if self.fits(value):
            return None
        if type(value) not in self.types:
            return f"{name or 'it'} is not {self._words}"
        if self.choices:
            return f"{name or 'it'} is {value!r}; expected {one_of(sorted(map(str, self.choices)))}"
        if self.members and isinstance(value, list):
            parts = [(self.members, one, str(number)) for number, one in enumerate(cast("list[object]", value), 1)]
        else:
            found = cast("dict[str, object]", value)
            for key, may, _ in self.fields:
                if not may and found.get(key) is None:
                    return f"{name or 'it'} has no {key}"
                if self.strict and key in found and found[key] is None:
                    return f"{name or 'it'} has null as its {key}"
            parts = [(check, found[key], key) for key, _, check in self.fields if found.get(key) is not None]
            parts += [(self.others, one, key) for key, one in found.items() if self.others]
        wrong = (check.mismatch(one, f"{name} {key}".strip()) for check, one, key in parts)
        return next(filter(None, wrong), None)

    def too_small(self, value: object, name: str = "") -> str | None:
        """Return which number in a value that fits is smaller than it can be; None if there is none.

        Examples
        --------
        >>> thing({"phases": listed(thing({"wall_ns": COUNT}))}).too_small({"phases": [{"wall_ns": -7}]})
        'phases 1 wall_ns is -7, less than 0'
        """
        if self.least is not None and isinstance(value, int | float) and value < self.least:
            return f"{name or 'it'} is {value}, less than {self.least:g}"
        parts: list[tuple[Check, object, str]] = []
        if isinstance(value, dict):
            found = cast("dict[str, object]", value)
            parts += [(check, found[key], key) for key, _, check in self.fields if key in found]
            parts += [(self.others, one, key) for key, one in found.items() if self.others]
        elif self.members and isinstance(value, list):
            parts += [(self.members, one, str(number)) for number, one in enumerate(cast("list[object]", value), 1)]
        wrong = (check.too_small(one, f"{name} {key}".strip()) for check, one, key in parts)
        return next(filter(None, wrong), None)

    @property
    def _words(self) -> str:
        if self.called:
            return self.called
        named = self.types - {int} if float in self.types else self.types
        return " or ".join(words for kind, words in WORDS.items() if kind in named)


def thing(fields: Mapping[str, Check], may: Mapping[str, Check] | None = None) -> Check:
    """Return the check of an object with these fields, and with fields that may be missing."""
    required = [(name, False, check) for name, check in fields.items()]
    return Check(OBJECT.types, (*required, *((name, True, check) for name, check in (may or {}).items())))


def any_name(check: Check) -> Check:
    """Return the check of an object with fields of any name and one kind of value."""
    return Check(OBJECT.types, others=check)


def listed(check: Check) -> Check:
    """Return the check of a list."""
    return Check(frozenset({list}), members=check)


def choice(*choices: str) -> Check:
    """Return the check of a text with these choices."""
    return Check(TEXT.types, choices=frozenset(choices))


def either(*checks: Check, called: str = "") -> Check:
    """Return the check of a value that passes one of several checks. For objects the fields are merged, and those that
    are not in every kind may be missing.
    """
    types = frozenset[type]().union(*(check.types for check in checks))
    objects = [check for check in checks if dict in check.types]
    if len(objects) == 1:
        return Check(types, objects[0].fields, objects[0].others, called=called, strict=True)
    if any(not check.fields for check in objects):
        return Check(types, called=called)
    kinds = [{name: (may, check) for name, may, check in one.fields} for one in objects]
    merged = {name: one for kind in kinds for name, one in kind.items()}
    always = {name for name in merged if all(name in kind and not kind[name][0] for kind in kinds)}
    fields = tuple((name, name not in always, check) for name, (_, check) in merged.items())
    return Check(types, fields, called=called, strict=True)


def _at_least(least: float) -> Check:
    return Check(frozenset({int, float}), least=least)


TEXT, WHOLE, TRUTH = Check(frozenset({str})), Check(frozenset({int})), Check(frozenset({bool}))
COUNT = Check(frozenset({int}), least=0)
AMOUNT = _at_least(0)
NUMBER, LEVEL = Check(frozenset({int, float})), Check(frozenset({str, int, float}))
OBJECT = Check(frozenset({dict}))

_PROGRAM = thing(
    {},
    {
        "command": listed(TEXT),
        "workload": either(TEXT, OBJECT),
        "args": OBJECT,
        "env": OBJECT,
        "for": TEXT,
        "directory": TEXT,
    },
)

STUDY_SPEC = thing(
    {},
    {
        "name": TEXT,
        "knee": TEXT,
        "program": _PROGRAM,
        "baseline": _PROGRAM,
        "factors": OBJECT,
        "hold": thing({}, {"facts": listed(TEXT)}),
        "design": thing(
            {},
            {
                "bind": TEXT,
                "skip": listed(WHOLE),
                "exclude": listed(OBJECT),
                "blocks": COUNT,
                "seed": COUNT,
                "pair": TEXT,
                "inputs": listed(TEXT),
                "weak": thing({"argument": TEXT, "one_thread": _at_least(1.0)}, {"power": _at_least(0.1)}),
                "copies": TRUTH,
                "explain": AMOUNT,
                "width": AMOUNT,
                "at_least_s": AMOUNT,
                "budget_s": AMOUNT,
            },
        ),
        "remedy": listed(
            thing({"name": TEXT}, {"treats": listed(TEXT), "command": listed(TEXT), "args": OBJECT, "env": OBJECT})
        ),
        "measure": thing(
            {},
            {
                "timeout_s": AMOUNT,
                "metric": any_name(TEXT),
                "check": any_name(TEXT),
                "same_output": TRUTH,
                "counters": listed(TEXT),
                "together": TRUTH,
                "events": TEXT,
                "sample_ms": COUNT,
                "census_ms": COUNT,
                "wait_quiet_s": AMOUNT,
                "rerun_disturbed": TRUTH,
                "responses": listed(TEXT),
                "build": TEXT,
                "setup": TEXT,
                "prepare": TEXT,
                "conclude": TEXT,
                "cleanup": TEXT,
                "warmup": COUNT,
                "cache": TEXT,
            },
        ),
    },
)
"""The types in study.toml, which a user may have changed by hand. ``knee.study`` checks the rest before it plans."""

END = thing({"block": WHOLE, "why": TEXT})
"""The content of ended.json."""
