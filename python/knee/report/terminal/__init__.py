"""Results in the terminal, one file for each verb that prints one."""
