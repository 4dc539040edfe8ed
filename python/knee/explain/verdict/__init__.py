"""The verdict: a headline and a few short lines that claim no more than the runs can carry."""
