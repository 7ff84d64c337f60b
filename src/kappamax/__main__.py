"""`python -m kappamax`: the command line."""

from kappamax.cli import main

if __name__ == "__main__":
    main()
