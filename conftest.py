"""How tests share the workers of `./milo test`."""

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep together what must not run side by side.

    Tests of running graphs measure times and follow one another on one worker; other tests stay
    with their file, whose fixtures are made once.
    """
    for item in items:
        group = "graph" if item.get_closest_marker("graph") else str(item.path)
        item.add_marker(pytest.mark.xdist_group(group))
