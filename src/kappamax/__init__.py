"""Agreement between raters: weighted kappa, and how large it could have been.

>>> import kappamax as km
>>> t = km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"])
>>> km.kappa(t).exact
Fraction(2, 5)
"""

import lazy_loader as _lazy

# Imported when first used: numpy alone takes longer than answering --help. The names are in `__init__.pyi` (SPEC 1).
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
