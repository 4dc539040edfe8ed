"""What a run is for, as its run spec says."""

from __future__ import annotations

from knee.store.seam import Role, RunSpec


def role_of(spec: RunSpec) -> Role:
    """Return the role of a run; without one it is a run of the design."""
    return spec.get("role", "measure")


def is_trial(spec: RunSpec) -> bool:
    """Whether a run tries a remedy, or is the run as it is beside one (``knee try``)."""
    return role_of(spec) == "remedy"
