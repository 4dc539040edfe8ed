"""Compares two studies, or two levels of a factor: runs by cell, answers, notes, and the verdict in words."""
