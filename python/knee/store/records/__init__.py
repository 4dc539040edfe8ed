"""Runs joined with their records: which of them count, and what records say of threads, idle time and counts."""
