"""Check claims about the largest and smallest coefficient without a solver, from a result or from a file."""
