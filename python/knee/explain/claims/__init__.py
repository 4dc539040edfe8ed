"""Decides the claims of a study file: the number that each is about, and whether it is confirmed."""
