"""Phases that a program marks: which of them scale, and how much of the loss each holds."""
