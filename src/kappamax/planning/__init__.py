"""Find the number of subjects that a study needs.

`population` builds the assumed table from pilot ratings or from margins and a value of the coefficient, with the help
of `margin_tables`, and `goals` defines the width or the power that the study needs. `formula` computes the number of
subjects from the standard error at the assumed table, and `clustering` does so for subjects in clusters; `simulation`
and `search` compute it from simulated studies. `sample_size` is the public interface, `sample_size_result` holds the
result, and `text` describes it in sentences.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
