"""Check where a file is to be written before it is computed, and write it completely or not at all.

The content is written to a file without a name where the system has them, otherwise to a hidden file in the same
folder, and flushed to the disk before it takes the place of an older file. Links are followed, and the permissions of
the older file are kept.
"""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from kappamax.errors import InvalidOptionError, KappamaxError, UnwritableFileError

_TEMPORARY = ".kappamax-tmp"
_USUAL_MODE = 0o666  # without what the user's mask takes away
_WRITING = os.O_WRONLY | getattr(os, "O_BINARY", 0)


def write_by_ending(path: str | Path, writers: Mapping[str, Callable[[], str | bytes]]) -> None:
    """Write the content returned by the function that belongs to the ending of the file name."""
    require_output(path, writers)
    write_whole(Path(path), writers[ending_of(path, writers)]())


def ending_of(path: str | Path, known: Collection[str]) -> str:
    """Return the ending of a file name in lower case; it must be one of the known endings."""
    ending = Path(path).suffix.lower()
    if ending not in known:
        *others, last = known
        raise InvalidOptionError(f"the file must end in {', '.join(others)} or {last}; got {Path(path).name!r}.")
    return ending


def require_output(
    path: str | Path, known: Collection[str] = (), *, inputs: Iterable[str | os.PathLike[str]] = ()
) -> None:
    """Require that a file can be written, before anything is computed.

    Parameters
    ----------
    path : str or Path
        File to be written.
    known : collection of str
        Endings that its name may have; by default any.
    inputs : iterable of paths
        Input files, which must not be replaced; "-" is standard input. By default there are none.
    """
    path = Path(path)
    if known:
        ending_of(path, known)
    with _errors_of(path):
        target = _target(path)
        exists = target.exists()
        is_same = [exists and str(one) != "-" and Path(one).exists() and target.samefile(Path(one)) for one in inputs]
    if any(is_same):
        raise InvalidOptionError(f"the output must not be an input file, which it would replace; got {path.name!r}.")
    if not os.access(target if exists else target.parent, os.W_OK):
        raise UnwritableFileError(f"{str(path)!r} cannot be written: Permission denied.")
    if _is_replaced(target) and not os.access(target.parent, os.W_OK | os.X_OK):
        raise UnwritableFileError(
            f"{str(path)!r} cannot be written: Permission denied in the folder {str(target.parent)!r}."
        )


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that an incomplete file is never visible; a device or a pipe is written to directly."""
    # the name of an input file may contain bytes that are not text
    encoded = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    require_output(path)
    with _errors_of(path):
        target = _target(path)
        if _is_replaced(target):
            _replace(target, encoded)
        else:
            with target.open("wb") as file:
                file.write(encoded)


def _target(path: Path) -> Path:
    """Return the file that a path names, behind all links; it need not exist, but its folder must."""
    target = path.resolve()
    if target.is_symlink():
        raise InvalidOptionError(f"the path must name a file; {str(path)!r} is a link to itself.")
    if not target.parent.is_dir():
        raise InvalidOptionError(f"there is no folder {str(target.parent)!r} to write {path.name!r} into.")
    if target.is_dir():
        raise InvalidOptionError(f"the path must name a file; {str(path)!r} is a folder.")
    return target


def _is_replaced(target: Path) -> bool:
    """Return whether a file is replaced or created, unlike a device or a pipe."""
    return not target.exists() or target.is_file()


def _replace(target: Path, content: bytes) -> None:
    """Put content in place of a file, or create it; the folder is flushed to the disk too."""
    _remove_stale(target.parent)
    beside = target.with_name(f".{socket.gethostname()}.{os.getpid()}.{token_hex(4)}{_TEMPORARY}")
    try:
        descriptor = _nameless(target.parent)
        named = descriptor is None
        if descriptor is None:
            descriptor = os.open(beside, _WRITING | os.O_CREAT | os.O_EXCL, _USUAL_MODE)
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            _keep_permissions(target, file.fileno())
            os.fsync(file.fileno())
            if not named:  # a file without a name cannot replace another one
                with _open_folder(target.parent) as folder:
                    os.link(f"/proc/self/fd/{file.fileno()}", beside.name, src_dir_fd=folder, dst_dir_fd=folder)
        beside.replace(target)
    finally:
        beside.unlink(missing_ok=True)
    if os.name == "posix":
        with _open_folder(target.parent) as folder:
            os.fsync(folder)


def _nameless(folder: Path) -> int | None:
    """Open a file without a name in a folder, of which a killed process leaves nothing; None if there are none."""
    if not hasattr(os, "O_TMPFILE") or not Path("/proc/self/fd").is_dir():
        return None
    try:
        return os.open(folder, _WRITING | os.O_TMPFILE, _USUAL_MODE)
    except OSError:  # not every file system has them
        return None


@contextmanager
def _open_folder(folder: Path) -> Iterator[int]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _keep_permissions(target: Path, descriptor: int) -> None:
    """Give a file the permissions and, where this is allowed, the owner of the file that it replaces."""
    if os.name != "posix" or not target.exists():
        return
    status = target.stat()
    with suppress(PermissionError):
        os.fchown(descriptor, status.st_uid, status.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(status.st_mode))


def _remove_stale(folder: Path) -> None:
    """Remove hidden files that killed processes of this machine left in a folder."""
    if os.name != "posix":
        return
    start = f".{socket.gethostname()}."
    for file in folder.iterdir():
        if file.name.startswith(start) and file.name.endswith(_TEMPORARY):
            process = file.name.removeprefix(start).partition(".")[0]
            if process.isdecimal() and not _is_running(int(process)):
                file.unlink(missing_ok=True)


def _is_running(process: int) -> bool:
    """Return whether a process exists, which signal 0 tells without being sent."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True


@contextmanager
def _errors_of(path: Path) -> Iterator[None]:
    """Raise errors of the system with the name of the file and the reason."""
    try:
        yield
    except (OSError, RuntimeError, ValueError) as error:
        if isinstance(error, KappamaxError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise UnwritableFileError(f"{str(path)!r} cannot be written: {reason}.") from None
