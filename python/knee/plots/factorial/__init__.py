"""Effects, interactions and residuals of a factorial analysis."""
