"""Find the largest and smallest coefficient that the margins of an observed table allow, and prove it.

`max_kappa` is the public side, `problem` states what is minimised, `solve` chooses the method, `price_bounds` proves;
the other modules are one method or one piece of proof each.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
