"""Questions about the loss of a study (``knee study --explain``): runs that each change one thing."""
