"""The report: records in, one self-contained page out."""
