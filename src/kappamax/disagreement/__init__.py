"""Score the disagreement of tables: the exact objective, and its value in doubles for many tables at once."""
