"""The folder of a study, and the files in it, one module each."""
