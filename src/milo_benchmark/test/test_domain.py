import os
import subprocess
import sys

import pytest

from milo_benchmark import domain
from milo_benchmark.domain import DOMAINS, DomainError, own_domain


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    monkeypatch.setattr(domain, "LOCK_FOLDER", tmp_path)


def test_two_runs_get_two_domains():
    with own_domain() as first, own_domain() as second:
        assert first != second
        assert {first, second} <= set(DOMAINS)


def test_when_all_are_taken_it_says_so_and_one_comes_back(monkeypatch):
    monkeypatch.setattr(domain, "DOMAINS", range(1, 3))
    with own_domain() as first:
        with own_domain(), pytest.raises(DomainError, match="All 2 ROS domain ids"), own_domain():
            pass
        with own_domain() as second:
            assert second != first


def test_a_killed_run_frees_its_domain(monkeypatch, tmp_path):
    monkeypatch.setattr(domain, "DOMAINS", range(7, 8))
    code = (
        "import sys; from pathlib import Path; from milo_benchmark import domain\n"
        "domain.DOMAINS, domain.LOCK_FOLDER = range(7, 8), Path(sys.argv[1])\n"
        "with domain.own_domain() as d:\n    print(d, flush=True); sys.stdin.read()"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == b"7\n"
        with pytest.raises(DomainError), own_domain():
            pass
    finally:
        child.kill()
        child.communicate()
    with own_domain() as again:
        assert again == 7
