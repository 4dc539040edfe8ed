"""Which OpenMP runtime a program uses, for the remedies that set its variables."""

from __future__ import annotations

from knee.study.remedies.situation import Situation

GNU, LLVM = r"libgomp\.so", r"lib(omp|iomp5)\.so"


def no_openmp(here: Situation) -> str | None:
    """Return why OpenMP's variables would do nothing; None if they may do something."""
    if reason := here.no_variables():
        return reason
    if here.library(GNU) or here.library(LLVM):
        return None
    return "the program uses no OpenMP library"


def is_gnu(here: Situation) -> bool:
    """Whether the runtime is GCC's; otherwise it is LLVM's or Intel's."""
    return here.library(GNU) is not None
