"""Read hostile files in a process of its own, so that a crash is found and the memory is that of the reading.

    python -m tests.support.hostile_run FILE NUMBER SEED

The last line printed is a JSON object with the number of files for each outcome and the peak of memory in kilobytes. An
exception that is not an error of kappamax ends the process; FILE is then the file that caused it.
"""

import json
import re
import resource
import sys
from collections import Counter
from pathlib import Path

import kappamax as km
from tests.support.hostile_files import hostile_files


def outcome(path, read=km.read_ratings, **options):
    """Return "table", or the code of the error; any other exception is passed on."""
    try:
        repr(read(path, **options))
    except km.errors.KappamaxError as error:
        return error.code
    return "table"


def main():
    path, number, seed = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    seen = Counter()
    for i, (name, content) in enumerate(hostile_files(number, seed)):
        path.write_bytes(content)
        print(f"file {i}, from {name}", flush=True)
        seen[outcome(path)] += 1
        outcome(path, read=km.inspect)
    print(json.dumps({"seen": seen, "memory": peak_memory()}))


def peak_memory():
    """Return the peak of this process in kilobytes; on Linux `ru_maxrss` may be that of the process that started it."""
    status = Path("/proc/self/status")
    if status.exists():
        return int(re.search(r"VmHWM:\s+(\d+) kB", status.read_text(encoding="ascii"))[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


if __name__ == "__main__":
    main()
