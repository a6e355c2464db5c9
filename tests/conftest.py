"""Fixtures for tests that start ROS 2 nodes.

`ros_domain`: a domain id of the test's own. `graph`: its processes, which must all end with exit
code 0 and without a traceback. `probe`: the test's own node in the same domain.
"""

import os
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from graph_harness import ENVIRONMENT, Graph, Probe, cut_short

# Before the first message class is imported and the first participant made in this process.
os.environ.update(ENVIRONMENT)


@pytest.fixture
def ros_domain() -> Iterator[int]:
    """An id between 1 and 100 that no other test or run on this machine uses."""
    from milo_benchmark.domain import own_domain

    with own_domain() as domain:
        yield domain


@pytest.fixture
def graph(ros_domain: int, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Graph]:
    """Processes that end with the test, quietly and with exit code 0."""
    graph = Graph(ros_domain, tmp_path / "log")
    request.node.stash[_GRAPH] = graph
    yield graph
    try:
        graph.check()
    finally:
        codes = graph.stop()
    for name in [name for name, code in codes.items() if cut_short(code, graph.log(name))]:
        warnings.warn(f"The clean-up of {name} hung:\n{graph.log(name)}", stacklevel=1)
        codes.pop(name)
    assert set(codes.values()) <= {0}, f"exit codes {codes}\n{graph.logs()}"
    assert "Traceback" not in graph.logs(), graph.logs()


@pytest.fixture
def probe(graph: Graph) -> Iterator[Probe]:
    """A node in the graph's domain."""
    probe = Probe(graph)
    yield probe
    probe.close()


_GRAPH: pytest.StashKey[Graph] = pytest.StashKey()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: Any) -> Iterator[None]:
    """Show the nodes' output beside a failure."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]
    graph = item.stash.get(_GRAPH, None)
    if report.failed and graph is not None:
        report.sections.append(("output of the nodes", graph.logs()))
