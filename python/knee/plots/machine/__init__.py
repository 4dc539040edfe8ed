"""The machine: where threads are put, and how its memory answers."""
