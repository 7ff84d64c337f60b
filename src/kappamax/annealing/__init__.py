"""Choose the cooling schedule, the stopping rule and the other settings of `kappamax.anneal`.

Pass a `MoveMethod` or a `SwapMethod` as ``method``; schedules such as `Geometric` and stopping rules such as
`StaleAgreement` are settings of both.

Inside the package, `simulated_annealing` is the public interface and `search` runs one search. `move_walk` proposes
moves drawn from a Markov basis, `fibers.swap_walk` proposes swaps between two subjects, and `diagonal_sweep` makes the
moves of the final sweep.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
