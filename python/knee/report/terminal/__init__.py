"""What is printed in the terminal: one file for each verb that prints a result."""
