"""From a study spec to records: what is asked, which cells it has, in which order they run, and the running itself."""
