"""Causes of CPU time that grows, in the program itself."""
