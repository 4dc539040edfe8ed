"""The verdict of a study: a headline and a few short lines that claim no more than the runs support."""
