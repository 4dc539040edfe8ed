"""From a plan to records: the study's folder, the runs, progress; or a script for a batch system."""
