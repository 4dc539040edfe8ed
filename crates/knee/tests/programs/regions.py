"""Marks regions from threads, from the children of a fork, and wrongly; then is killed if it is asked to be."""

import mmap
import os
import signal
import sys
import threading
import time

from knee import region


def burn(milliseconds: int) -> None:
    """Use so much CPU time."""
    end = time.thread_time_ns() + milliseconds * 1_000_000
    while time.thread_time_ns() < end:
        pass


@region("work")
def work() -> None:
    """Work in a region inside of its own."""
    with region("inner"):
        burn(5)


@region("recurse")
def recurse(depth: int) -> None:
    """Be in the same region several times."""
    if depth:
        recurse(depth - 1)


def worker() -> None:
    """Work three times, as each thread does."""
    for _ in range(3):
        work()


with region("load"):
    time.sleep(0.02)
threads = [threading.Thread(target=worker) for _ in range(2)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
recurse(4)
with region("outer"):
    child = os.fork()
    with region("both"):
        burn(2)
    fresh = mmap.mmap(-1, 200 * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE)
    with region("touch"):
        for page in range(200):
            fresh[page * mmap.PAGESIZE] = 1
    if child:
        os.waitpid(child, 0)
if child == 0:
    os._exit(0)
try:
    with region("raises"):
        int("no number")
except ValueError:
    pass
region("never begun").__exit__(None, None, None)
if sys.argv[1:] == ["closes"]:
    with region("closing"):
        os.closerange(3, 64)
    receive, send = os.pipe()
    os.write(send, b"the program's own")
    with region("work"):
        pass
    os.close(send)
    sys.exit(os.read(receive, 64) != b"the program's own")
if sys.argv[1:] == ["killed"]:
    with region("last"):
        os.kill(os.getpid(), signal.SIGKILL)
sys.stdout.write("done\n")
