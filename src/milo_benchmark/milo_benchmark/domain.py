"""An own ROS domain for every run, so that two runs on one machine never meet."""

import fcntl
import os
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from milo_core.errors import MiloError

DOMAINS = range(1, 101)
"""Above 101 the ports of DDS reach into Linux's range for outgoing connections."""


class DomainError(MiloError):
    """No domain is free."""


LOCK_FOLDER = Path("/tmp/milo_ros_domains")
"""One for all users and sessions of the machine, so not where TMPDIR points."""


def _make_lock_folder() -> None:
    LOCK_FOLDER.mkdir(exist_ok=True)
    with suppress(PermissionError):  # another user's: already so
        LOCK_FOLDER.chmod(0o1777)


def _open_lock(path: Path) -> int:
    mask = os.umask(0)
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    finally:
        os.umask(mask)


@contextmanager
def own_domain() -> Iterator[int]:
    """Hold a domain id that no other run on this machine holds.

    The system frees it when the process dies, however it dies.

    Raises:
        DomainError: all are taken.
    """
    _make_lock_folder()
    for domain in random.sample(DOMAINS, len(DOMAINS)):
        handle = _open_lock(LOCK_FOLDER / str(domain))
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            continue
        try:
            yield domain
        finally:
            os.close(handle)
        return
    raise DomainError(
        f"All {len(DOMAINS)} ROS domain ids are taken by other runs; wait until one of them ends."
    )
