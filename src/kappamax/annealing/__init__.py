"""Simulated annealing through the tables with the observed margins.

`anneal` is the public side and `search` runs one search. `schedules` defines temperatures and stopping rules,
`move_walk` the paper's proposal (a move drawn from a Markov basis) and `diagonal_sweep` its last step; the other
proposal, swaps between two subjects, is `fibers.swap_walk`.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
