"""What runs used: CPU time, instructions, memory traffic, over thread counts and over time."""
