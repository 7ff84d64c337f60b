"""Agreement between raters: weighted kappa, and how large it could have been.

>>> import kappamax as km
>>> t = km.from_counts([[20, 5], [10, 15]], categories=["no", "yes"])
>>> km.kappa(t).exact
Fraction(2, 5)
"""

from typing import Any as _Any

import lazy_loader as _lazy

# Names are imported when they are first used, since numpy alone takes longer to import than `--help` takes to answer.
# They are listed in `__init__.pyi` (Scientific Python's SPEC 1).
_attribute, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)


def __getattr__(name: str) -> _Any:
    if name in __all__:
        return _attribute(name)
    from kappamax._unknown_names import message_for

    raise AttributeError(message_for(name, __all__), name=name, obj=None)
