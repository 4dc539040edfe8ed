"""Verbs that are more than a line of the command line, one file each.

Each gives a click command, which ``cli`` lists. What measures imports numpy only when measuring is over.
"""
