"""Limit the work that checking one certificate may take.

A certificate can come from an untrusted source and can require any amount of work. The limit is a number of operations
and not of seconds, so that the result of the check does not depend on the machine.
"""

from __future__ import annotations

#: largest number of operations such as the addition of an exact number, which takes some microseconds
MOST_WORK = 30_000_000
_STEPS_OF_A_KERNEL = 2_000  # steps of a compiled search that take about as long as one operation


class Unknown(Exception):  # noqa: N818  # signals a reached limit, not an error
    """Raised when a check would take more work than the limits allow."""


class Budget:
    """Remaining work that checking a certificate may take.

    Parameters
    ----------
    work : int, optional
        Number of operations, default `MOST_WORK`.
    """

    def __init__(self, work: int | None = None) -> None:
        self.left = MOST_WORK if work is None else work

    def spend(self, work: int) -> None:
        """Subtract an amount of work; raise `Unknown` if less than that remains."""
        if work > self.left:
            raise Unknown
        self.left -= work

    def steps(self, size: int) -> int:
        """Return the number of steps a compiled search may take if each step processes `size` numbers."""
        return self.left * _STEPS_OF_A_KERNEL // size

    def spend_steps(self, steps: int, size: int) -> None:
        """Subtract the steps of a compiled search."""
        self.spend(steps * size // _STEPS_OF_A_KERNEL)
