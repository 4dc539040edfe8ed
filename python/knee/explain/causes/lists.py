"""The lists of causes and symptoms."""

from __future__ import annotations

from knee.explain.causes.cause import Cause, Symptom
from knee.explain.causes.computing import (
    allocator,
    duplicated_work,
    instruction_growth,
    page_faults,
    shared_lines,
    spinning,
)
from knee.explain.causes.idle import (
    garbage_collection,
    imbalance,
    input_output,
    interpreter_lock,
    quota,
    serial_part,
    sleeping_lock,
    too_few_tasks,
)
from knee.explain.causes.machine import (
    clock,
    memory_bandwidth,
    numa_distance,
    page_placement,
    shared_cache,
    smt_sharing,
)
from knee.explain.causes.symptoms import growing_cpu_time, one_busy_cpu, oversubscription

SYMPTOMS: tuple[Symptom, ...] = (
    one_busy_cpu,
    growing_cpu_time,
    oversubscription,
)
"""Symptoms, in the order of examination: what a curve alone shows, without runs that explain it."""

CAUSES: tuple[Cause, ...] = (
    serial_part,
    imbalance,
    too_few_tasks,
    sleeping_lock,
    interpreter_lock,
    garbage_collection,
    input_output,
    quota,
    spinning,
    shared_lines,
    duplicated_work,
    instruction_growth,
    allocator,
    page_faults,
    clock,
    shared_cache,
    memory_bandwidth,
    smt_sharing,
    numa_distance,
    page_placement,
)
"""Causes that runs with one change can tell apart (``knee study --explain``)."""
