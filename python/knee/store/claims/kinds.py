"""The kinds of claims and their keys, in one table, from which checks and the schema are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from knee.store.records.own_counts import OWN_COUNTS

NEEDS = ("sockets", "nodes", "cores", "hardware_threads", "threads_per_core")

ALWAYS = ("says", "source", "needs", "above", "below")
"""Keys of every claim."""

AMONG = ("runs", "threads")
OF_THREADS = ("cpu", "run-delay")
"""Responses of single threads: CPU time, and run delay (how long a thread was ready without a cpu)."""

MOST_LAST = 0.5
"""The largest ``last``: it is compared with the part before, which has the same length."""


@dataclass(frozen=True)
class Kind:
    """A kind of claim: its name, what it is about, and how to write it.

    ``words`` is the template for the number's name in the report. ``chooses`` is the type of its value: levels of a
    cell, two such tables, or the name of a factor. ``keys`` are its keys besides those of every claim, and ``must`` the
    required ones.
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
            "{response} of {of} over {against} of {over}",
            "The response of one cell over that of another.",
            "ratio = { of = { … }, over = { … } }",
            chooses="two cells",
            sides=("of", "over"),
            keys=("response", "per", "against"),
        ),
        Kind(
            "difference",
            "{response} of {of} minus {times}that of {from}",
            "The response of one cell minus that of another, or a multiple of it. Either may be 0.",
            "difference = { of = { … }, from = { … } }",
            chooses="two cells",
            sides=("of", "from"),
            keys=("response", "per", "times"),
        ),
        Kind(
            "value",
            "{response} of {cell}",
            "The geometric mean of the response of these cells, or the arithmetic mean if a value is not positive.",
            'value = { placement = "cores-close", threads = 4 }',
        ),
        Kind(
            "speedup",
            "speedup{of_response} of {cell}",
            "Time on the fewest threads over time of this cell.",
            "speedup = { threads = 8 }",
        ),
        Kind("knee", "knee of {series}", "The knee of the only series with these levels.", "knee = {}", keys=()),
        Kind(
            "slope",
            "log-log slope of {response} of {cell} between {between}",
            "The slope of the response over a range of thread counts, on log-log axes.",
            'slope = { placement = "cores-close" }, with between = [1, 8]',
            keys=("response", "per", "between"),
            must=("between",),
        ),
        Kind(
            "bend",
            "bend of {response} of {cell} between {between}",
            "How much the slope on log-log axes changes in the middle of a range of thread counts: the slope above it "
            "minus the slope below it. 0 on a straight line.",
            'bend = { placement = "cores-close" }, with between = [1, 8]',
            keys=("response", "per", "between"),
            must=("between",),
        ),
        Kind(
            "order",
            "{response} of {of} over that of {over} at every count between {between}",
            "The response of one series over that of another at every thread count in a range: the smallest of these "
            "ratios for a bound above, the largest for a bound below.",
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
            "How much the response varies: its coefficient of variation over runs, or the largest over the smallest "
            "value of a run's threads.",
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
COUNT: dict[str, Any] = {"oneOf": [{"type": "integer", "minimum": 1}, {"enum": list(OWN_COUNTS)}]}

KEYS: dict[str, dict[str, Any]] = {
    "says": {"type": "string", "minLength": 1, "description": "The claim as a sentence."},
    "source": {"type": "string", "description": "Where the claim comes from."},
    "needs": {
        "type": "object",
        "description": "What a machine must have for the claim to apply to it.",
        "properties": {name: {"type": "integer", "minimum": 1} for name in NEEDS},
        "additionalProperties": False,
    },
    "above": {"type": "number", "description": "The whole interval must lie above this."},
    "below": {"type": "number", "description": "The whole interval must lie below this."},
    "response": {
        "type": "string",
        "description": "The response: wall, cpu, a phase, a counter. Default: what the study measures.",
    },
    "per": {"type": "string", "description": "Another response of the same runs, to divide by."},
    "against": {
        "type": "string",
        "minLength": 1,
        "description": "The response of the cell below the line. Default: the same response.",
    },
    "times": {
        "type": "number",
        "exclusiveMinimum": 0,
        "description": "So many times the response of the other cell is taken off. Default: once.",
    },
    "at": LEVELS | {"description": "Restrict the analysis to runs with these levels."},
    "between": {
        "type": "array",
        "items": COUNT,
        "minItems": 2,
        "maxItems": 2,
        "description": "The smallest and the largest thread count.",
    },
    "sampled": {
        "type": "string",
        "minLength": 1,
        "description": "Name of the sampled quantity. Counters are used as rates: cpu_ns is the number of busy cpus.",
    },
    "during": {"type": "string", "minLength": 1, "description": "The phase. Default: the whole run."},
    "last": {
        "type": "number",
        "exclusiveMinimum": 0,
        "maximum": MOST_LAST,
        "description": "The later part as a share of the time; the part before has the same length. Default: one half.",
    },
    "among": {
        "enum": list(AMONG),
        "description": "Variation between runs, or between threads of a run. Default: runs.",
    },
}
"""The JSON Schema of every key."""
