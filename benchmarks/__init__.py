"""Kappamax beside other packages in; how fast it is and how honest its intervals are out."""
