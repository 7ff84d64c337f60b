"""Limit the work that checking one certificate may take.

A certificate can come from anybody, so it can be made to need any amount of work. The limit is a number of operations,
not of seconds, so that a certificate is checked on every machine or on none.
"""

from __future__ import annotations

#: operations such as adding an exact number, some microseconds each
MOST_WORK = 30_000_000
_STEPS_OF_A_KERNEL = 2_000  # that take about as long as one operation


class Unknown(Exception):  # noqa: N818  # an answer, not an error
    """A question that would take more work than the checker's limits allow."""


class Budget:
    """What is left of the work that checking a certificate may take."""

    def __init__(self, work: int | None = None) -> None:
        self.left = MOST_WORK if work is None else work

    def spend(self, work: int) -> None:
        """Take an amount of work from what is left; `Unknown` if there is not so much."""
        self.left -= work
        if self.left < 0:
            raise Unknown

    def steps(self, size: int) -> int:
        """How many steps a kernel may take if it looks at so many numbers in each."""
        return self.left * _STEPS_OF_A_KERNEL // size

    def spend_steps(self, steps: int, size: int) -> None:
        """Take the steps of a kernel from what is left."""
        self.spend(steps * size // _STEPS_OF_A_KERNEL)
