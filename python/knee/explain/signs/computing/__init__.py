"""Signs of why CPU time grows: where, how it grows with the threads, and what the kernel or a collector takes."""
