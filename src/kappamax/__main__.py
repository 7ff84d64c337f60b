"""`python -m kappamax`: the command line."""

from kappamax.cli import main

main()
