"""Factorial analysis: which factors make a response what it is, by how much, and how sure that is."""
