"""Factorial analysis: which factors explain a response, by how much, and with what certainty."""
