"""Find the largest and smallest coefficient that the margins of an observed table allow, and prove it.

`max_kappa` is the public side, `problem` states what is minimised, `solve` chooses the method, `price_bounds` proves;
the other modules are one method or one piece of proof each.
"""
