"""Which runs would tell more about the loss, decided between two blocks of a running study (``knee study --explain``).

Nothing is asked before the first answer, and nothing where there is nothing to explain. Then the questions that can
tell something come first: where threads are idle, what they wait for; where CPU time grows, whether it grows on one cpu
and in copies. What these answer decides about the next ones. Each question is asked in at least three blocks, or not
at all, and all of them together take at most a share of the study's own time. Once nothing is left to begin, what does
not tell yet is asked again.

Choosing questions by what was measured biases nothing: their own runs are made afterwards, in random order.
"""
