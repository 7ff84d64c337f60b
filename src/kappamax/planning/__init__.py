"""Find the number of subjects that a study needs.

`population` makes the assumed table from pilot ratings or from margins and a value, `goals` says what is to be reached,
`formula` finds the number from the table's standard error, `simulation` and `search` find it from simulated studies.
`sample_size` is the public side and `text` describes the result in sentences.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
