"""How long threads wait for locks and a disk: mean value analysis of a closed network.

Reiser and Lavenberg, *Mean-value analysis of closed multichain queuing networks*, Journal of the ACM 27, 1980. Each
thread computes for a while, then visits every station; a station serves one thread at a time.
"""

from __future__ import annotations

from collections.abc import Mapping


def waits(services: Mapping[str, float], threads: int) -> dict[str, float]:
    """Return how long a thread waits in line for each station, for each second that it computes in all.

    Parameters
    ----------
    services
        Seconds of service at each station for each second of computing; service inside a lock is part of that second.
    threads
        Number of threads.
    """
    inside = sum(share for name, share in services.items() if name != "disk")
    think = max(0.0, 1 - inside)
    queued = dict.fromkeys(services, 0.0)
    stays = dict(services)
    for customers in range(1, threads + 1):
        stays = {name: share * (1 + queued[name]) for name, share in services.items()}
        rate = customers / (think + sum(stays.values()))
        queued = {name: rate * stay for name, stay in stays.items()}
    return {name: stays[name] - services[name] for name in services}
