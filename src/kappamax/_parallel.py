"""Run tasks in this process, in other processes, or on the cluster that joblib is configured for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kappamax._validate import require_n_jobs


def run_tasks(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None, *, ordered: bool = True
) -> Iterator[Any]:
    """The function of every task's arguments, in the order of the tasks, each as soon as it and all before are done.

    Parameters
    ----------
    function : callable
        Importable by name, so that other processes find it.
    tasks : iterable of tuples
        The arguments of each call.
    n_jobs : int
        Processes; 1 runs here. `joblib.parallel_config` can send the others elsewhere, and None is as many as it says.
    ordered : bool
        If not, results come as soon as they are done, in any order.
    """
    require_n_jobs(n_jobs)
    if n_jobs == 1:
        yield from (function(*arguments) for arguments in tasks)
        return
    from joblib import Parallel, delayed  # 0.2 s to import

    kind = "generator" if ordered else "generator_unordered"
    yield from Parallel(n_jobs=n_jobs, return_as=kind)(delayed(function)(*arguments) for arguments in tasks)
