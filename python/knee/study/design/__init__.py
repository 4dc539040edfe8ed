"""From a study spec to run specs: cells, placements, held facts, and the plan in random order."""
