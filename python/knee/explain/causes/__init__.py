"""Why a curve bends. One cause per file, each with what it sees and how to test it; the list of them is here."""

from knee.explain.causes import duplicated_work, oversubscription

CAUSES = (duplicated_work, oversubscription)
"""Every cause, in the order in which they are asked. A cause is a module with ``examine(series) -> Finding | None``."""
