"""What the runs of a study say that explain one thread count: numbers by block, and means of them."""
