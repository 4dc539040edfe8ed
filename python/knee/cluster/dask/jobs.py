"""Parts on a Dask cluster."""

# pyright: basic
# Neither distributed nor cloudpickle has types.

from __future__ import annotations

import uuid
from collections import deque
from collections.abc import Generator
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import cast

import distributed

from knee.cluster.dask import on_workers
from knee.cluster.dask.by_value import ByValue
from knee.cluster.parts import Parts, failed
from knee.cluster.watch import every
from knee.cluster.worker import TRIES, Limits, Outcome
from knee.store import StudyError

AHEAD = 2
"""Parts that a worker has: the one that it answers, and the next one."""


MOST_TAKEN = 20
"""How often a worker may take a part on which it has failed: it is idle again at once."""

LOOK_S = 1.0
"""How often it is looked whether parts wait for workers that are all gone."""


class Cluster:
    """A Dask cluster that answers parts."""

    per_worker = 4
    """Parts for each worker where nobody says how many: workers that finish early take more of them."""

    def __init__(self, client: distributed.Client) -> None:
        if client.asynchronous:
            raise StudyError("this client is asynchronous", hint="give one that was made without asynchronous=True")
        if client.status != "running":
            raise StudyError(f"this client is not connected: it is {client.status}", hint="ask while it is open")
        self._client = client

    def workers(self) -> int:
        """Return how many workers it has."""
        return len(self._addresses())

    def answers(self, parts: Parts, limits: Limits) -> list[str]:
        """Return the answers of all parts. A worker gets its next part when one is done.

        Raises
        ------
        StudyError
            Which part failed on which worker, and why.
        """
        # Parts of one question may run beside those of another.
        job = uuid.uuid4().hex
        run = ByValue(partial(on_workers.run, limits))
        todo = deque(Try(number) for number in range(len(parts)))
        running: dict[distributed.Future, tuple[Try, str]] = {}
        ended = distributed.as_completed(loop=self._client.loop)
        numbers = count()

        def start(place: str) -> None:
            """Let a worker answer the next part, if there is one that did not fail there."""
            one = next((one for one in todo if place not in one.failed_on), None)
            if one is None:
                return
            todo.remove(one)
            future = self._client.submit(
                run,
                parts.lines[one.part],
                key=f"knee-part-{one.part}-{next(numbers)}-{job}",
                workers=[place],
                allow_other_workers=True,
                pure=False,
            )
            running[future] = one, place
            ended.add(future)

        answers: list[str] = []
        try:
            for place in self._addresses() * AHEAD:
                start(place)
            for future in self._freed(ended, running):
                one, place = running.pop(future)
                if future.cancelled() and place not in (there := self._known()) and there:
                    todo.append(one)
                    start(there[len(running) % len(there)])
                    continue
                outcome, ran = _outcome(future, one.part)
                # An idle worker may have taken it, also one on which it has failed: that says nothing of others.
                taken = one.taken + (ran in one.failed_on)
                tries = len(one.failed_on) + (ran not in one.failed_on)
                if outcome.answer is not None:
                    answers.append(outcome.answer)
                elif not outcome.again or tries == TRIES or taken > MOST_TAKEN:
                    raise failed(outcome.error or "")
                else:
                    others = [other for other in self._addresses() if other not in (ran, *one.failed_on)]
                    known = tuple(place for place in one.failed_on if place != ran)
                    # Where no other is left, it may have been for a moment.
                    todo.append(Try(one.part, (*known, ran if others else ""), taken))
                    for other in others:
                        start(other)
                start(place)
        finally:
            # Nobody waits for what still runs: its processes end.
            self._client.cancel(list(running))
        return answers

    def _freed(
        self, ended: distributed.as_completed, running: dict[distributed.Future, tuple[Try, str]]
    ) -> Generator[distributed.Future]:
        """Give futures as they end, and cancel those that wait for workers which are gone while there are others.

        Where the last worker is lost, Dask lets tasks wait for one with that address, though they may run elsewhere.
        """

        def look() -> None:
            there, waiting = self._known(), dict(running)
            if there and set(there).isdisjoint(place for _, place in waiting.values()):
                self._client.cancel(list(waiting))

        with every(LOOK_S, look):
            yield from ended

    def _addresses(self) -> list[str]:
        workers = self._known()
        if not workers:
            raise StudyError("the cluster has no workers", hint="start some, or wait: client.wait_for_workers(1)")
        return workers

    def _known(self) -> list[str]:
        """Return the addresses of all workers, if there are any."""
        return list(cast("dict[str, int]", self._client.nthreads()))


@dataclass(frozen=True)
class Try:
    """A part that is to be answered."""

    part: int
    failed_on: tuple[str, ...] = ()
    """Where it failed; "" for a worker that may try it again."""
    taken: int = 0
    """How often a worker took it on which it had failed."""


def _outcome(future: distributed.Future, part: int) -> tuple[Outcome, str]:
    """Return what came of a part, and on which worker."""
    try:
        *outcome, ran = future.result()
        return Outcome(*outcome), ran
    except distributed.KilledWorker:
        message = f"part {part} was tried on several workers, and each of them was lost"
        raise StudyError(message, hint="look into their logs: the kernel kills what is out of memory") from None
    except distributed.CancelledError:
        raise StudyError(f"part {part} was cancelled", hint="was the scheduler restarted?") from None
    except Exception as error:
        # Its scheduler has reasons of its own, such as distributed.scheduler.no-workers-timeout.
        raise StudyError(f"part {part}: Dask gave up: {error}", hint="the scheduler's log says more") from error
