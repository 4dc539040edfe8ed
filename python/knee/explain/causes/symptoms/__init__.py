"""Symptoms: what a curve alone shows, without runs that explain it. Each lists the causes that remain possible."""
