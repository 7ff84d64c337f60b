"""A study on a Dask cluster gives the same results even if a worker is killed."""

import os
import signal
import subprocess
import sys

import joblib
import pytest

import kappamax as km

distributed = pytest.importorskip("distributed")

ROWS = [km.paper.Scenario(5, n_subjects=50, weights=weights) for weights in ("linear", "sqrt")]


@pytest.fixture
def cluster(tmp_path):
    """Start a cluster and return the file with the address of its scheduler."""
    address = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    here = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(address)]
    module = [sys.executable, "-m"]
    started = [subprocess.Popen([*module, "distributed.cli.dask_scheduler", *here], **quiet)]
    options = ["--scheduler-file", str(address), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    for _ in range(2):
        started.append(subprocess.Popen([*module, "distributed.cli.dask_worker", *options], **quiet))
    yield address
    for process in started:
        process.kill()
        process.wait()


@pytest.mark.cluster
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_killed_worker_changes_nothing(cluster, tmp_path):
    """One of two workers is killed during the study, and all numbers are the same as without a cluster."""
    killed = []
    with distributed.Client(scheduler_file=str(cluster)) as client:
        client.wait_for_workers(2, timeout=60)
        pids = client.run(os.getpid)

        def kill_one(done, total, _message):
            busy = [worker for worker, tasks in client.processing().items() if tasks]
            if busy and not killed and total / 4 < done < total / 2:
                os.kill(pids[busy[0]], signal.SIGKILL)
                killed.append(busy[0])

        with joblib.parallel_config(backend="dask"):
            there = km.paper.run_study(ROWS, n_tables=1000, progress=kill_one, checkpoint=tmp_path / "study.jsonl")
        assert set(client.scheduler_info()["workers"]) == set(pids) - set(killed)
    assert len(killed) == 1
    here = km.paper.run_study(ROWS, n_tables=1000)
    assert [(row.to_dict(), row.steps.tolist()) for row in there] == [
        (row.to_dict(), row.steps.tolist()) for row in here
    ]
