"""Run tasks in this process, in other processes, or on the cluster that joblib is configured for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kappamax._validate import require_n_jobs


def run_tasks(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None, *, ordered: bool = True
) -> Iterator[Any]:
    """Yield the results of a function for the arguments of every task.

    Parameters
    ----------
    function : callable
        Function that other processes can import by name.
    tasks : iterable of tuples
        Arguments of each call.
    n_jobs : int or None
        Number of processes. 1 runs all tasks in this process, and -1 uses all cores. None uses the number that
        `joblib.parallel_config` sets; that configuration can also select a cluster.
    ordered : bool
        Whether results are yielded in the order of the tasks, default True. Otherwise each result is yielded as soon as
        it is available.

    Yields
    ------
    object
        Result of one task.
    """
    require_n_jobs(n_jobs)
    if n_jobs == 1:
        yield from (function(*arguments) for arguments in tasks)
        return
    from joblib import Parallel, delayed  # 0.2 s to import

    kind = "generator" if ordered else "generator_unordered"
    yield from Parallel(n_jobs=n_jobs, return_as=kind)(delayed(function)(*arguments) for arguments in tasks)
