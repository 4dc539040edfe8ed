"""Parts on a Spark cluster."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar, cast
from uuid import uuid4

from pyspark import RDD, Accumulator, cloudpickle
from pyspark.sql import SparkSession

from knee.cluster import worker
from knee.cluster.parts import Parts, failed, of_connect
from knee.cluster.spark import on_workers
from knee.cluster.watch import every
from knee.cluster.worker import TRIES, Limits
from knee.store import StudyError

T = TypeVar("T")

for _module in (on_workers, worker):
    cloudpickle.register_pickle_by_value(_module)

FIRST_S, FIRST_TICK_S = 30.0, 0.05
"""How long the first executor of a cluster is waited for, and how often it is looked for."""

CANCEL_TICK_S = 0.05
"""How often a job is cancelled that is not wanted any more: it may not have begun yet."""

KILLED = re.compile(
    r"\b(?:exit(?:ed with)? )?code:? 137\b|exit status: 137\b|OOMKilled|exceeding (?:\w+ )?memory limits"
)
"""What Spark says of an executor that was killed as a whole: by the kernel, with all of its container, or by YARN."""


class Cluster:
    """A Spark cluster that answers parts."""

    per_worker = 2
    """Parts for each executor where nobody says how many: few, since Spark takes some 50 ms for each task in Python."""

    def __init__(self, spark: SparkSession) -> None:
        if type(spark).__module__.startswith("pyspark.sql.connect"):
            raise of_connect()
        self._context = spark.sparkContext
        if self._context._jsc is None:
            raise StudyError("this session is stopped", hint="ask while it is open")
        self._await_one()

    def _await_one(self) -> None:
        """Wait a while for the first executor: before, neither how many there are nor what cores they have is known.

        Where Spark asks for executors as it needs them, there may be none until a job begins.
        """
        asks = self._settings.get("spark.dynamicAllocation.enabled", "false")
        if re.match(r"local(?!-cluster)", str(self._context.master)) or str(asks).lower() == "true":
            return
        end = time.monotonic() + FIRST_S
        while self._scala.getExecutorMemoryStatus().size() < 2 and time.monotonic() < end:
            time.sleep(FIRST_TICK_S)

    def workers(self) -> int:
        """Return how many executors it has, also those that are still to come."""
        # The driver is among them, and where it is alone, it computes.
        executors = self._scala.getExecutorMemoryStatus().size() - 1
        threads = self._threads()
        chosen = threads is None or self._settings.contains("spark.default.parallelism")
        return max(1, executors, 0 if chosen else self._context.defaultParallelism // (threads or 1))

    def as_here(self, work: Callable[[], T]) -> Callable[[], T]:
        """Return this work for another thread: its jobs get the group, the pool and the description of this one."""
        scala = self._scala
        properties = scala.getLocalProperties().clone()

        def done() -> T:
            scala.setLocalProperties(properties)
            return work()

        return done

    @contextmanager
    def begun(self, parts: Parts, limits: Limits) -> Generator[Future[list[str]]]:
        """Let all parts be answered while the block runs. Where it raises, they are cancelled."""
        tag = f"knee-{uuid4().hex}"

        def asked() -> list[str]:
            self._context.addJobTag(tag)
            try:
                return self._answers(parts, limits, tag)
            finally:
                self._context.removeJobTag(tag)

        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.as_here(asked))
            try:
                yield running
            except BaseException:
                while not running.done():
                    self._context.cancelJobsWithTag(tag)
                    wait([running], CANCEL_TICK_S)
                raise

    def answers(self, parts: Parts, limits: Limits) -> list[str]:
        """Return the answers of all parts. Where the caller is interrupted, they are cancelled.

        Raises
        ------
        StudyError
            Which part failed on which worker, and why.
        """
        with self.begun(parts, limits) as running:
            return running.result()

    def _answers(self, parts: Parts, limits: Limits, tag: str) -> list[str]:
        """Return the answers of all parts, which are asked in jobs with a tag."""
        todo, answers = list(enumerate(parts.lines)), list[str]()
        for tries in range(1, TRIES + 1):
            final = self._context.accumulator(list[str](), on_workers.Said())
            job = on_workers.Job(todo, limits, self._threads(), final, last=tries == TRIES)
            try:
                with self._cancelled_after(final, tag):
                    # A data source in Python, or mapInArrow, costs some 100 ms more for each question.
                    found = self._tasks(len(todo)).mapPartitionsWithIndex(job.answered).collect()
            except Exception as error:
                if final.value:
                    raise failed(final.value[0]) from None
                raise _given_up(error) from error
            answers += [answer for _, answer, _, _ in found if answer is not None]
            failures = [(number, error, again) for number, _, error, again in found if error is not None]
            for _, error, again in failures:
                if not again or tries == TRIES:
                    raise failed(error)
            todo = [(number, parts.lines[number]) for number, _, _ in failures]
            if not todo:
                break
        return answers

    def _tasks(self, number: int) -> RDD[None]:
        """Return so many tasks."""
        return self._context.parallelize([None] * number, number)

    def _cancelled_after(self, final: Accumulator[list[str]], tag: str) -> AbstractContextManager[None]:
        """Cancel the jobs with a tag as soon as a task says that its part fails for good: others would still begin."""

        def look() -> None:
            if final.value:
                self._context.cancelJobsWithTag(tag)

        return every(CANCEL_TICK_S, look)

    def _threads(self) -> int | None:
        """Return the threads of an executor; None where Spark leaves them to the machine."""
        master = cast("str", self._context.master)
        if local := re.fullmatch(r"local(?:\[(\d+|\*)(?:,.*)?\])?", master):
            return None if local[1] == "*" else int(local[1] or 1)
        if cluster := re.fullmatch(r"local-cluster\[\s*\d+\s*,\s*(\d+)\s*,.*\]", master):
            return int(cluster[1])
        if cores := self._settings.get("spark.executor.cores", ""):
            return int(cores)
        return self._fewest_cores() if master.startswith("spark:") else 1

    def _fewest_cores(self) -> int | None:
        """Return the cores of the executor with fewest: a standalone cluster gives each what its worker has left."""
        executors = self._scala.statusStore().executorList(True)
        each = (executors.apply(number) for number in range(executors.size()))
        return min((one.totalCores() for one in each if one.id() != "driver"), default=None)

    @property
    def _scala(self) -> Any:
        """The context in Java."""
        return cast("Any", self._context)._jsc.sc()

    @property
    def _settings(self) -> Any:
        """The settings in Java. Python's copy of them takes a message to Java for each, some 10 ms in all."""
        return self._scala.getConf()


def _given_up(error: Exception) -> StudyError:
    """Return in short what Spark says at length."""
    text = str(error)
    latest = re.search(r"most recent failure: ([^\n]*)(.*)", text, re.DOTALL)
    reason = latest[1] if latest else text.strip().partition("\n")[0]
    if latest and reason.endswith("Traceback (most recent call last):"):
        # What happened stands at the end of Python's trace, which Java's follows.
        trace = re.split(r"\n\s*(?:at |\n|$)", latest[2])[0]
        reason = next((line for line in reversed(trace.splitlines()) if line.strip() and line[0] != " "), reason)
    hint = (
        "give executors more memory: raise spark.executor.memoryOverhead"
        if KILLED.search(reason)
        else "its log says more"
    )
    return StudyError(f"Spark gave up: {reason}", hint=hint)
