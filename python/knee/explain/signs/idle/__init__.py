"""Signs of why threads are idle: who works alone, what others wait for, and what twice the threads change."""
