"""What verbs do between the blocks of a study."""
