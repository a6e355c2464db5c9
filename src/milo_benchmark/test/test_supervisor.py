"""The supervisor on small scripted processes; only the environment tells whose they are."""

import os
import signal
import subprocess
import sys
import textwrap
import time
import uuid
from pathlib import Path

import pytest

from milo_benchmark.graph import NodeSpec
from milo_benchmark.supervisor import (
    Patience,
    Supervisor,
    SupervisorError,
    find_executable,
    node_environment,
    ros_arguments,
)

MARK = "MILO_SUPERVISOR_TEST"
ENDS = "import sys; print('bye', flush=True); sys.exit({code})"
ENDS_WHEN_READY = """
    import os, sys, time
    while not os.path.exists(sys.argv[1] + "/ready"):
        time.sleep(0.01)
    sys.exit({code})
"""
LIVES = """
    import pathlib, signal, sys
    folder = pathlib.Path(sys.argv[1])
    def stop(number, _):
        (folder / "stopped_by").write_text(signal.Signals(number).name)
        sys.exit(0)
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    (folder / "ready").touch()
    while True:
        signal.pause()
"""
STUBBORN = """
    import pathlib, signal, sys
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    (pathlib.Path(sys.argv[1]) / "ready").touch()
    while True:
        signal.pause()
"""
PARENT = """
    import pathlib, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    (pathlib.Path(sys.argv[1]) / "ready").touch()
    child.wait()
"""


def marked(mark):
    """Processes with this mark in their environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes() and state != "Z":
                found.append(int(entry.name))
        except (OSError, IndexError):
            continue
    return found


def until(condition, seconds=10.0):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.01)


@pytest.fixture
def mark():
    value = uuid.uuid4().hex
    yield value
    left = marked(value)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == []


class Graph:
    """Nodes that are scripts; name -> (source, required)."""

    def __init__(self, folder, mark, **scripts):
        self.folder, self.said = folder, []
        self.specs = [
            NodeSpec("pkg", name, name, required=required, output="log")
            for name, (_, required) in scripts.items()
        ]
        for name, (source, _) in scripts.items():
            (folder / f"{name}.py").write_text(textwrap.dedent(source))
        self.supervisor = Supervisor(
            self.specs,
            folder,
            {**os.environ, MARK: mark},
            locate=lambda spec: [sys.executable, str(folder / f"{spec.name}.py"), str(folder)],
            patience=Patience(0.5, 0.5, 2.0),
            say=self.said.append,
        )

    def run(self):
        return self.supervisor.run()


@pytest.mark.parametrize("code", [0, 3])
def test_the_required_node_ends_the_run_with_its_code(tmp_path, mark, code):
    graph = Graph(
        tmp_path, mark, other=(LIVES, False), main=(ENDS_WHEN_READY.format(code=code), True)
    )
    assert graph.run() == code
    assert graph.said == []
    assert (tmp_path / "stopped_by").read_text() == "SIGINT"
    assert marked(mark) == []


@pytest.mark.parametrize("code", [0, 5])
def test_any_other_node_that_ends_is_a_failure_named_in_one_sentence(tmp_path, mark, code):
    graph = Graph(tmp_path, mark, broken=(ENDS.format(code=code), False), main=(LIVES, True))
    assert graph.run() == 1
    assert graph.said == [
        f"The node broken ended unexpectedly (exit code {code}); see {tmp_path / 'broken.log'}."
    ]
    assert (tmp_path / "broken.log").read_text() == "bye\n"
    assert marked(mark) == []


def test_a_required_node_that_crashes_is_a_failure(tmp_path, mark):
    graph = Graph(tmp_path, mark, main=("import os, signal; os.kill(os.getpid(), 11)", True))
    assert graph.run() == 1
    assert "main ended unexpectedly (signal 11, SIGSEGV)" in graph.said[0]


def test_logs_of_earlier_sessions_are_kept(tmp_path, mark):
    (tmp_path / "main.log").write_text("before\n")
    assert Graph(tmp_path, mark, main=(ENDS.format(code=0), True)).run() == 0
    assert (tmp_path / "main.log").read_text() == "before\nbye\n"


def test_a_stubborn_node_is_killed_in_the_end(tmp_path, mark):
    graph = Graph(
        tmp_path, mark, other=(STUBBORN, False), main=(ENDS_WHEN_READY.format(code=0), True)
    )
    begun = time.monotonic()
    assert graph.run() == 0
    assert 1.0 <= time.monotonic() - begun < 5.0
    assert marked(mark) == []


def test_what_a_node_started_goes_with_it(tmp_path, mark):
    graph = Graph(
        tmp_path, mark, other=(PARENT, False), main=(ENDS_WHEN_READY.format(code=0), True)
    )
    assert graph.run() == 0
    until(lambda: marked(mark) == [])


def test_a_node_that_is_missing_stops_the_start(tmp_path, mark):
    graph = Graph(tmp_path, mark, other=(LIVES, False), main=(LIVES, True))
    graph.supervisor._locate = lambda spec: (
        [str(tmp_path / "nowhere")]
        if spec.name == "main"
        else [sys.executable, str(tmp_path / "other.py"), str(tmp_path)]
    )
    with pytest.raises(SupervisorError, match=r"Can't start the node main .*nowhere"):
        graph.run()
    assert marked(mark) == []


SUPERVISE = """
import os, sys
from pathlib import Path
from milo_benchmark.graph import NodeSpec
from milo_benchmark.supervisor import Supervisor
folder = Path(sys.argv[1])
names = [("other", False, "log"), ("main", True, "terminal")]
specs = [NodeSpec("p", n, n, required=r, output=o) for n, r, o in names]
locate = lambda spec: [sys.executable, str(folder / f"{spec.name}.py"), str(folder)]
print("started", flush=True)
sys.exit(Supervisor(specs, folder, os.environ, locate=locate).run())
"""
TERMINAL = """
    import signal, sys
    code = [None]
    def stop(number, _):
        code[0] = 128 + number
    signal.signal(signal.SIGINT, stop)
    signal.signal(signal.SIGTERM, stop)
    import time
    time.sleep({slow})
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGINT, signal.SIGTERM))
    open(sys.argv[1] + "/main_ready", "w").close()
    while code[0] is None:
        time.sleep(0.01)
    sys.exit(code[0])
"""


@pytest.fixture
def process(tmp_path, mark):
    """Starts a supervisor as a process of its own."""
    (tmp_path / "supervise.py").write_text(SUPERVISE)
    running = []

    def start(other=LIVES, slow=0.0):
        (tmp_path / "other.py").write_text(textwrap.dedent(other))
        (tmp_path / "main.py").write_text(textwrap.dedent(TERMINAL.format(slow=slow)))
        child = subprocess.Popen(
            [sys.executable, str(tmp_path / "supervise.py"), str(tmp_path)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), MARK: mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(child)
        assert child.stdout is not None
        assert child.stdout.readline() == "started\n"
        return child

    yield start
    for child in running:
        child.kill()
        child.communicate()


def all_ready(folder):
    return (folder / "ready").exists() and (folder / "main_ready").exists()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("times", [1, 2])
def test_stop_signals_end_everything(tmp_path, mark, process, number, code, times):
    child = process()
    until(lambda: all_ready(tmp_path))
    begun = time.monotonic()
    for _ in range(times):
        child.send_signal(number)
    _, err = child.communicate(timeout=10)
    assert (child.returncode, err) == (code, "")
    assert time.monotonic() - begun < 5.0
    assert marked(mark) == []


@pytest.mark.parametrize("delay", [0.0, 0.005, 0.01, 0.02, 0.04, 0.08])
def test_ctrl_c_during_the_start(mark, process, delay):
    child = process(slow=0.05)
    time.sleep(delay)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=10)
    # Before its handlers are there the process itself has Python's own answer to Ctrl-C.
    if "KeyboardInterrupt" not in err:
        assert (child.returncode, out, err) == (130, "", "")
    assert marked(mark) == []


def test_a_second_ctrl_c_does_not_wait_for_a_stubborn_node(tmp_path, mark, process):
    child = process(other=STUBBORN)
    until(lambda: all_ready(tmp_path))
    begun = time.monotonic()
    for _ in range(3):
        child.send_signal(signal.SIGINT)
        time.sleep(0.1)
    child.communicate(timeout=10)
    assert child.returncode == 130
    # One Ctrl-C alone would let the node's 3.5 s of patience pass.
    assert time.monotonic() - begun < 3.4
    assert marked(mark) == []


def test_a_stubborn_node_costs_less_than_five_seconds(tmp_path, mark, process):
    child = process(other=STUBBORN)
    until(lambda: all_ready(tmp_path))
    begun = time.monotonic()
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=10)
    assert child.returncode == 130
    assert time.monotonic() - begun < 5.0


def test_a_killed_supervisor_leaves_no_orphan(tmp_path, mark, process):
    child = process()
    until(lambda: all_ready(tmp_path))
    child.kill()
    child.communicate(timeout=10)
    until(lambda: marked(mark) == [])
    assert (tmp_path / "stopped_by").read_text() == "SIGTERM"


def test_arguments_of_a_node():
    spec = NodeSpec(
        "pkg",
        "exe",
        "node",
        namespace="robot",
        parameters={"version": "1.1", "repeat": 2, "on": True, "out": 'a "b" ä'},
        remappings=(("a", "b"),),
    )
    assert ros_arguments(spec) == [
        "--ros-args",
        "-r",
        "__node:=node",
        "-r",
        "__ns:=/robot",
        "-p",
        'version:="1.1"',
        "-p",
        "repeat:=2",
        "-p",
        "on:=true",
        "-p",
        'out:="a \\"b\\" ä"',
        "-r",
        "a:=b",
        "--disable-external-lib-logs",
    ]


def test_executables_are_found_by_the_ament_index(tmp_path, monkeypatch):
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    spec = NodeSpec("pkg", "exe", "node")
    with pytest.raises(SupervisorError, match="pkg is not built or not sourced"):
        find_executable(spec)
    index = tmp_path / "share/ament_index/resource_index/packages"
    index.mkdir(parents=True)
    (index / "pkg").touch()
    with pytest.raises(SupervisorError, match=r"lib/pkg/exe is missing .*\./milo setup"):
        find_executable(spec)
    path = tmp_path / "lib/pkg/exe"
    path.parent.mkdir(parents=True)
    path.touch(mode=0o755)
    assert find_executable(spec) == [str(path)]
    monkeypatch.delenv("AMENT_PREFIX_PATH")
    with pytest.raises(SupervisorError, match="not sourced"):
        find_executable(spec)


def test_environment_keeps_traffic_here_and_checks_fields(tmp_path, monkeypatch):
    monkeypatch.setenv("ROS_DOMAIN_ID", "0")
    monkeypatch.setenv("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET")
    monkeypatch.setenv("FASTDDS_DEFAULT_PROFILES_FILE", "/mine.xml")
    environment = node_environment(42, tmp_path)
    assert environment["ROS_DOMAIN_ID"] == "42"
    assert environment["ROS_AUTOMATIC_DISCOVERY_RANGE"] == "LOCALHOST"
    assert environment["ROS_PYTHON_CHECK_FIELDS"] == "1"
    assert environment["ROS_LOG_DIR"] == str(tmp_path)
    assert environment["FASTDDS_DEFAULT_PROFILES_FILE"] == "/mine.xml"


def test_the_shipped_dds_profile_is_used_unless_there_is_one(tmp_path, monkeypatch):
    share = tmp_path / "share/milo_benchmark/config"
    share.mkdir(parents=True)
    (share / "fastdds.xml").touch()
    index = tmp_path / "share/ament_index/resource_index/packages"
    index.mkdir(parents=True)
    (index / "milo_benchmark").touch()
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path))
    monkeypatch.delenv("FASTDDS_DEFAULT_PROFILES_FILE", raising=False)
    monkeypatch.delenv("FASTRTPS_DEFAULT_PROFILES_FILE", raising=False)
    environment = node_environment(1, tmp_path)
    assert environment["FASTDDS_DEFAULT_PROFILES_FILE"] == str(share / "fastdds.xml")
