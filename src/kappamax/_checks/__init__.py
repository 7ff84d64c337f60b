"""Arguments in, clean values or a clear error out.

Every input check and its wording lives in this package, one module per subject. A message names the argument, the
rule, what came and where; places are counted from one, as readers do.
"""
