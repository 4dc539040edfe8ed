"""Causes of a bend in a speedup curve: one per file, in rooms by what the threads do; :mod:`.lists` has all of them."""
