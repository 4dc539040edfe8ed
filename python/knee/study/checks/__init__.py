"""Checks of a study spec before anything runs: contradictions, names that mean nothing, missing files."""
