"""Code that several test modules share: naive versions, strategies, examples and runners."""
