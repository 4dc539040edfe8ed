"""Causes of CPU time that grows because threads share hardware."""
