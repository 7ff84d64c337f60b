"""Read hostile files in a process of its own, so that a crash is found and the memory is that of the reading.

    python -m tests.support.hostile_run FILE NUMBER SEED

The last line printed is a JSON object with the number of files for each outcome and the peak of memory in kilobytes. An
exception that is not an error of kappamax ends the process; FILE is then the file that caused it.
"""

import json
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
    print(json.dumps({"seen": seen, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))


if __name__ == "__main__":
    main()
