"""Run the command line with `python -m kappamax`."""

from kappamax.cli import main

if __name__ == "__main__":
    main()
