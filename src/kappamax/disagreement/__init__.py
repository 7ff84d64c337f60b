"""Compute the disagreement of tables, exactly for one table and in doubles for many tables at once."""
