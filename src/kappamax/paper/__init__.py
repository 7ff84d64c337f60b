"""Nothing in; the paper's every example, statement, figure, table and claim, recomputed, out."""
