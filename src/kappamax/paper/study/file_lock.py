"""Lock a file for one process by a lock of the operating system, which ends with the process."""

from __future__ import annotations

import os
import sys
from io import FileIO
from pathlib import Path

_LOCKED_BYTE = 2**31 - 2  # on Windows, the locked byte lies behind the end of the file, so that others can read it
_PROC_LOCKS = Path("/proc/locks")


def lock(file: FileIO) -> None:
    """Lock an open file until it is closed.

    Raises
    ------
    BlockingIOError
        If the file is locked through another open file, by this or another process.
    OSError
        If the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

        file.seek(_LOCKED_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from None
        finally:
            file.seek(0)
    else:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


def process_with_lock(file: FileIO) -> int | None:
    """Return the process that has locked a file, or None if the system does not tell."""
    try:
        held = _PROC_LOCKS.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
    found = os.fstat(file.fileno())
    place = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    for line in held.splitlines():
        fields = line.split()  # such as "1: FLOCK ADVISORY WRITE 4321 08:01:1577 0 EOF"
        if len(fields) == 8 and fields[1] == "FLOCK" and fields[5] == place and fields[4].isdigit():
            return int(fields[4]) or None  # 0 is a process of another container
    return None
