"""Signs: what runs that change one thing say. Several causes use the same sign."""
