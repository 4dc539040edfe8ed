"""The kinds of claims, and the keys that each of them takes: one table, from which checks and the schema are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

NEEDS = ("sockets", "nodes", "cores", "hardware_threads", "threads_per_core")

ALWAYS = ("says", "source", "needs", "above", "below")
"""Keys of every claim."""

AMONG = ("runs", "threads")
OF_THREADS = ("cpu", "run-delay")
"""What is known of each thread of a run: its CPU time, and how long it was ready and had no cpu."""

MOST_LAST = 0.5
"""The largest last part of a run: it is held against the part before, which is as long."""


@dataclass(frozen=True)
class Kind:
    """What a kind of claim is called, what it is about, and how it is written.

    ``words`` is what the report calls its number, with what a claim says in the places of names. ``chooses`` says what
    stands under its name: levels of a cell, two such tables, or the name of a factor. ``keys`` are those that it takes
    beside the ones of every claim, and ``must`` those that it cannot do without.
    """

    name: str
    words: str
    about: str
    example: str
    chooses: Literal["cell", "two cells", "factor"] = "cell"
    sides: tuple[str, ...] = ()
    keys: tuple[str, ...] = ("response", "per")
    must: tuple[str, ...] = ()


KINDS = {
    kind.name: kind
    for kind in (
        Kind(
            "ratio",
            "{response} of {of} over that of {over}",
            "The response of one cell over that of another.",
            "ratio = { of = { … }, over = { … } }",
            chooses="two cells",
            sides=("of", "over"),
        ),
        Kind(
            "difference",
            "{response} of {of} less that of {from}",
            "The response of one cell less that of another, either of which may be 0.",
            "difference = { of = { … }, from = { … } }",
            chooses="two cells",
            sides=("of", "from"),
        ),
        Kind(
            "value",
            "{response} of {cell}",
            "The response of these cells, as a geometric mean; as an arithmetic one where a value is not positive.",
            'value = { placement = "cores-close", threads = 4 }',
        ),
        Kind(
            "speedup",
            "speedup{of_response} of {cell}",
            "Time on the fewest threads over time of this cell.",
            "speedup = { threads = 8 }",
        ),
        Kind("knee", "knee of {series}", "The knee of the one series that has these levels.", "knee = {}", keys=()),
        Kind(
            "slope",
            "log-log slope of {response} of {cell} between {between}",
            "The slope of the response over the thread counts between two, on log-log axes.",
            'slope = { placement = "cores-close" }, with between = [1, 8]',
            keys=("response", "per", "between"),
            must=("between",),
        ),
        Kind(
            "order",
            "{response} of {of} over that of {over} at every count between {between}",
            "The response of one series over that of another at every thread count between two: the least of these "
            "ratios where it has to lie above, the largest where it has to lie below.",
            "order = { of = { … }, over = { … } }, with between = [2, 8]",
            chooses="two cells",
            sides=("of", "over"),
            keys=("response", "per", "between"),
            must=("between",),
        ),
        Kind(
            "trend",
            "{sampled} of {cell} in {parts}",
            "The mean of a sampled quantity in the later part of a run over that in the part before.",
            'trend = { threads = 4 }, with sampled = "cpu_ns"',
            keys=("sampled", "during", "last"),
            must=("sampled",),
        ),
        Kind(
            "variation",
            "{spread} of {cell}",
            "How much the response varies: its coefficient of variation over runs, or the largest over the least of a "
            "run's threads.",
            "variation = { threads = 4 }",
            keys=("response", "per", "among"),
        ),
        Kind(
            "explains",
            "share of the variation of {response}{at} that {factor} explains",
            "The share of the variation that this factor explains.",
            'explains = "runtime"',
            chooses="factor",
            keys=("response", "per", "at"),
        ),
    )
}

LEVEL: dict[str, Any] = {"type": ["string", "number"]}
LEVELS: dict[str, Any] = {"type": "object", "additionalProperties": LEVEL}
COUNT: dict[str, Any] = {"oneOf": [{"type": "integer", "minimum": 1}, {"enum": ["cores", "cpus"]}]}

KEYS: dict[str, dict[str, Any]] = {
    "says": {"type": "string", "minLength": 1, "description": "The sentence."},
    "source": {"type": "string", "description": "Who claims it."},
    "needs": {
        "type": "object",
        "description": "What a machine must have for the claim to mean anything on it.",
        "properties": {name: {"type": "integer", "minimum": 1} for name in NEEDS},
        "additionalProperties": False,
    },
    "above": {"type": "number", "description": "The whole interval has to lie above this."},
    "below": {"type": "number", "description": "The whole interval has to lie below this."},
    "response": {
        "type": "string",
        "description": "What is looked at: wall, cpu, a phase, a counter. Absent: what the study measures.",
    },
    "per": {"type": "string", "description": "Another response of the same runs, by which it is divided."},
    "at": LEVELS | {"description": "Levels of the runs among which it explains."},
    "between": {
        "type": "array",
        "items": COUNT,
        "minItems": 2,
        "maxItems": 2,
        "description": "The least and the largest thread count that are looked at.",
    },
    "sampled": {
        "type": "string",
        "minLength": 1,
        "description": "What samples call the quantity. Of what they count up it is the rate: cpu_ns is cpus busy.",
    },
    "during": {"type": "string", "minLength": 1, "description": "The phase that is looked at. Absent: the whole run."},
    "last": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": MOST_LAST,
        "description": "The share of the time that is the later part; the part before is as long. Absent: one half.",
    },
    "among": {"enum": list(AMONG), "description": "Whether runs vary, or the threads of a run. Absent: runs."},
}
"""Every key with its JSON Schema."""
