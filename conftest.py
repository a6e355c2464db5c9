"""How tests share the workers of `./milo test`."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

# The same examples in every run, and no limit of time: a busy machine is no failure.
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
_ROOT = Path(__file__).parent


@cache
def _group(path: str) -> str:
    return "graph" if "pytest.mark.graph" in (_ROOT / path).read_text() else path


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep together what must not run side by side.

    Tests of running graphs measure times and follow one another on one worker; other tests stay
    with their file, whose fixtures are made once. (The marker xdist_group would say the same, but
    pytest-xdist 3.8 can't write it into the ids of pytest 9.)
    """
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid.split("::", 1)[0])

    return Scheduler(config, log)
