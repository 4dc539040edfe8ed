"""Statistics: arrays in, small results out, no files.

Times are compared as logarithms of ratios, block by block: a block's runs share the machine's mood, which a ratio
inside the block sheds.
"""
