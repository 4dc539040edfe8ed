"""Tables of the report in plain rows, the same for the page and for the terminal."""
