"""Make, list, rank and explain moves, which change a table but not its margins."""

from kappamax.fibers.markov_basis import MoveSet, basic_moves, minimal_moves
from kappamax.fibers.move_effects import explain_move
from kappamax.fibers.move_ranking import rank_moves
from kappamax.fibers.moves import Move

__all__ = ["Move", "MoveSet", "basic_moves", "explain_move", "minimal_moves", "rank_moves"]


def __dir__() -> list[str]:
    """Return the public names only."""
    return __all__
