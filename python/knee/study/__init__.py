"""From a study spec to records: options, cells, the order of runs, and running them."""
