"""Call `km.sample_size` with the settings of its method among the other options."""

import kappamax as km
from kappamax.planning.methods import METHODS

_SETTINGS = ("joint", "variance", "n_draws")


def sample_size(*pilot, method="formula", **options):
    """Return the plan that `km.sample_size` makes by a method with the settings among the options."""
    settings = {name: options.pop(name) for name in _SETTINGS if name in options}
    return km.sample_size(*pilot, method=METHODS[method](**settings), **options)
