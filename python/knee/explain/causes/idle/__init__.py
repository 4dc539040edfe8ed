"""Causes of idle time."""
