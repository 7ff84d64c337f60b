"""Find the largest and smallest coefficient that the margins of an observed table allow, and prove it.

`max_kappa` contains the public function, `problem` states what is minimised, `solve` chooses the method and
`price_bounds` computes the bounds that prove an optimum. Each of the other modules implements one method or one part of
the proof.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
