"""Check claims about the largest and smallest coefficient, from a result or a file, without a solver."""
