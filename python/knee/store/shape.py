"""The shapes of what a study's folder holds, as far as anything here relies on them.

The schemas in ``schema/`` say all of it. What is looked at here is what would otherwise fail far from the file that was
edited. Fields that are not named may be anything: a newer knee of the same schema may write more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

WORDS = {
    frozenset({int}): "a whole number",
    frozenset({str}): "text",
    frozenset({bool}): "true or false",
    frozenset({int, float}): "a number",
    frozenset({str, int, float}): "text or a number",
    frozenset({int, float, dict}): "a counter",
    frozenset({dict}): "an object",
    frozenset({list}): "a list",
}


@dataclass(frozen=True)
class Shape:
    """What a value has to be: of one of some types, exactly, since JSON has no others.

    An object has ``fields``, of which those in ``may`` can be missing or null, and those of any other name are
    ``others``; a list has ``members``.
    """

    types: frozenset[type]
    fields: tuple[tuple[str, bool, Shape], ...] = ()
    others: Shape | None = None
    members: Shape | None = None

    def fits(self, value: object) -> bool:
        """Whether a value has the shape; asked of every line, so in few steps and without a word."""
        if type(value) not in self.types:
            return False
        if self._looked_at:
            found = cast("dict[str, object]", value)
            for name, types, shape in self._looked_at:
                one = found.get(name)
                if type(one) not in types or (shape and one is not None and not shape.fits(one)):
                    return False
        inner = self.others or self.members
        if inner is None:
            return True
        within = cast("dict[str, object]", value).values() if self.others else cast("list[object]", value)
        return inner.types.issuperset(map(type, within)) and (inner.plain or all(map(inner.fits, within)))

    @cached_property
    def plain(self) -> bool:
        """Whether the type says all."""
        return not self.fields and self.others is None and self.members is None

    @cached_property
    def _looked_at(self) -> list[tuple[str, frozenset[type], Shape | None]]:
        """Each field with the types that it may have, and its shape where they do not say all."""
        return [
            (name, shape.types | ({type(None)} if may else set()), None if shape.plain else shape)
            for name, may, shape in self.fields
        ]

    def mismatch(self, value: object, name: str = "") -> str | None:
        """Return what is wrong with a value, naming the field; None when it has the shape.

        Examples
        --------
        >>> thing({"id": TEXT}).mismatch({"id": 7})
        'id is not text'
        >>> thing({"phases": listed(thing({"name": TEXT, "wall_ns": WHOLE}))}).mismatch({"phases": [{"name": "sum"}]})
        'phases 1 has no wall_ns'
        """
        if self.fits(value):
            return None
        if type(value) not in self.types:
            return f"{name or 'it'} is not {WORDS[self.types]}"
        if self.members:
            parts = [(self.members, one, str(number)) for number, one in enumerate(cast("list[object]", value), 1)]
        else:
            found = cast("dict[str, object]", value)
            for field, may, _ in self.fields:
                if not may and found.get(field) is None:
                    return f"{name or 'it'} has no {field}"
            parts = [(shape, found[field], field) for field, _, shape in self.fields if found.get(field) is not None]
            parts += [(self.others, one, field) for field, one in found.items() if self.others]
        wrong = (shape.mismatch(one, f"{name} {field}".strip()) for shape, one, field in parts)
        return next(filter(None, wrong), None)


def thing(fields: Mapping[str, Shape], may: Mapping[str, Shape] | None = None) -> Shape:
    """Return the shape of an object with these fields, and those that may be missing."""
    listed_fields = [(name, False, shape) for name, shape in fields.items()]
    return Shape(OBJECT.types, (*listed_fields, *((name, True, shape) for name, shape in (may or {}).items())))


def any_name(shape: Shape) -> Shape:
    """Return the shape of an object whose fields are all alike."""
    return Shape(OBJECT.types, others=shape)


def listed(shape: Shape) -> Shape:
    """Return the shape of a list."""
    return Shape(frozenset({list}), members=shape)


TEXT, WHOLE, TRUTH = Shape(frozenset({str})), Shape(frozenset({int})), Shape(frozenset({bool}))
NUMBER, LEVEL = Shape(frozenset({int, float})), Shape(frozenset({str, int, float}))
COUNTER, OBJECT = Shape(frozenset({int, float, dict})), Shape(frozenset({dict}))

STUDY_SPEC = thing(
    {},
    {
        "name": TEXT,
        "knee": TEXT,
        "program": OBJECT,
        "factors": OBJECT,
        "design": thing({}, {"budget_s": NUMBER, "width": NUMBER}),
        "measure": thing({}, {"same_output": TRUTH, "responses": listed(TEXT)}),
    },
)

RUN_SPEC = thing(
    {
        "id": TEXT,
        "cell": any_name(LEVEL),
        "block": WHOLE,
        "program": thing(
            {}, {"command": listed(TEXT), "workload": TEXT, "args": OBJECT, "params": OBJECT, "env": OBJECT}
        ),
        "threads": WHOLE,
        "cpus": listed(WHOLE),
    },
    {"role": TEXT, "bind": TEXT, "counters": listed(TEXT), "hold": any_name(TEXT), "metric": OBJECT},
)

RECORD = thing(
    {
        "id": TEXT,
        "block": WHOLE,
        "start": TEXT,
        "wall_ns": WHOLE,
        "user_ns": WHOLE,
        "system_ns": WHOLE,
        "phases": listed(thing({"name": TEXT, "wall_ns": WHOLE, "cpu_ns": WHOLE})),
        "exit": thing({}, {"code": WHOLE, "signal": WHOLE, "timeout_s": NUMBER, "error": TEXT}),
        "counters": any_name(COUNTER),
        "bind": TEXT,
        "observed_threads": listed(thing({}, {"run_delay_ns": WHOLE})),
        "output": thing({}, {"stdout_fnv1a": TEXT, "stderr_tail": TEXT}),
        "simulated": TRUTH,
    },
    {
        "region_faults": listed(TEXT),
        "metric": thing({"name": TEXT}, {"value": NUMBER, "unit": TEXT, "unavailable": TEXT}),
        "check": thing({"ok": TRUTH}),
        "changed": listed(thing({"fact": TEXT, "held": TEXT, "found": TEXT})),
        "validity": thing(
            {}, dict.fromkeys(("own_share", "other_busy", "steal", "clock_before_ns", "clock_after_ns"), NUMBER)
        ),
    },
)

END = thing({"block": WHOLE, "why": TEXT})

_PARTS = listed(thing({"id": WHOLE, "cpus": listed(WHOLE)}))

MACHINE = thing(
    {
        **dict.fromkeys(("sockets", "nodes", "cores", "hardware_threads"), _PARTS),
        "allowed": thing({"cpus": listed(WHOLE)}, {"quota_cpus": NUMBER}),
        "facts": OBJECT,
    }
)

MEMORY = thing(
    {
        "claimed_caches": any_name(WHOLE),
        "figures": listed(thing({"probe": TEXT, "measure": TEXT, "at": any_name(TEXT), "value": NUMBER, "unit": TEXT})),
    }
)
