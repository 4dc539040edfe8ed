"""Two sides compared: runs by cell, answers, what has to be known beside them, and the words for all of it."""
