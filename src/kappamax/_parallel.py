"""Run tasks in this process, in other processes, or on the cluster that joblib is configured for."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from kappamax._validate import require_n_jobs

_SECONDS_BETWEEN_LOOKS = 0.5


def run_tasks(
    function: Callable[..., Any], tasks: Iterable[tuple[Any, ...]], n_jobs: int | None, *, ordered: bool = True
) -> Iterator[Any]:
    """Yield the results of a function for the arguments of every task.

    Other processes leave Ctrl-C to this one, and they end when this one ends, even if it is killed.

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
    # threads and clusters do not use the initializer
    run = Parallel(n_jobs=n_jobs, return_as=kind, initializer=_start_worker, initargs=(os.getpid(),))
    results = run(delayed(function)(*arguments) for arguments in tasks)
    try:
        for result in results:  # noqa: UP028  # "yield from" would close the results before the filter below
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # joblib warns of finished tasks that were not asked for
            results.close()


def _start_worker(parent: int) -> None:
    """Prepare a process that runs tasks for another one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process stops its workers after Ctrl-C
    if sys.platform != "win32":  # there, joblib ends idle processes after five minutes
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process as soon as its parent has ended, whose number was `parent`."""
    while os.getppid() == parent:  # a process whose parent has ended gets another one
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)
