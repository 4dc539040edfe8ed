"""Statistics: arrays in, small results out, no files.

Times are compared as logarithms of ratios, block by block: the runs of a block share the state of the machine, which
cancels in a ratio within the block.
"""
