"""Linear models of factorial designs: fit, analysis of variance, effects, comparisons, diagnostics."""
