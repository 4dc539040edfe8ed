"""Studies as they would be on made-up machines, for the claims of study files."""
