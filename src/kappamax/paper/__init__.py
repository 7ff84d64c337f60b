"""Check the examples, statements, figures, tables and claims of the source paper.

The paper is F. Rapallo, "Analysis of the weighted kappa and its maximum with Markov moves", Psychometrika 2022.
Sections, equations, statements, figures and tables are numbered as in the paper.
"""

import lazy_loader as _lazy

# The public names are in `__init__.pyi`; each is imported when it is first used.
__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)
