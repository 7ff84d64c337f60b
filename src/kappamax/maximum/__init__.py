"""An observed table in; the largest and smallest coefficient its margins allow, proven, out.

`extremes` is the public side, `solve` chooses the method, the other modules are one method or one piece of proof each.
"""
