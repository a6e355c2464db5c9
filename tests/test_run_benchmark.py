"""Whole runs of the benchmark from the command line: real nodes, real results."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from graph_harness import wait_for

HERE = Path(__file__).parent
EXPECTED: list[dict[str, Any]] = json.loads((HERE / "data/rule_based_v1.1.json").read_text())[
    "rows"
]
E1 = "No valid positions to place object found"
E2 = "InvalidOperationException: Agent hand has something in it already!"
NODES = ("thor_bridge", "world_model", "planner", "orchestrator")
MARK = "MILO_RUN_TEST"

pytestmark = [pytest.mark.graph, pytest.mark.timeout(400)]


def marked(mark: str) -> list[str]:
    """Command lines of the processes that were started with this mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}\0".encode() not in (entry / "environ").read_bytes():
                continue
            command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if command:  # a zombie has none
            found.append(command)
    return found


@dataclass
class Run:
    """One `milo run` and its folder."""

    out: Path
    mark: str = field(default_factory=lambda: uuid.uuid4().hex)
    process: subprocess.Popen[str] | None = None

    def start(self, *options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "milo_benchmark.cli", "run", "--out", str(self.out)]
        self.process = subprocess.Popen(
            [*command, *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, MARK: self.mark},
            start_new_session=True,
        )
        return self.process

    def finish(self, *options: str) -> str:
        """Run to the end, which must be a good one; returns what it printed."""
        out, err = self.start(*options).communicate(timeout=300)
        assert self.process is not None
        assert self.process.returncode == 0, f"{out}\n{err}\n{self.logs()}"
        assert err == ""
        return out

    def data(self) -> bytes:
        path = self.out / "results.jsonl"
        return path.read_bytes() if path.exists() else b""

    def lines(self) -> int:
        return self.data().count(b"\n")

    def records(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.data().splitlines()]

    def manifest(self) -> dict[str, Any]:
        return json.loads((self.out / "manifest.json").read_text())

    def logs(self) -> str:
        paths = sorted((self.out / "logs").glob("*.log"))
        return "\n".join(f"--- {path.name}\n{path.read_text()[-3000:]}" for path in paths)

    def wait_for_lines(self, number: int) -> None:
        wait_for(lambda: self.lines() >= number, f"line {number}", 120.0)

    def wait_until_gone(self) -> None:
        wait_for(lambda: not marked(self.mark), "the end of all processes", 10.0)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.communicate()


@pytest.fixture(scope="session")
def make_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Run]]:
    """Makes runs; none of their processes may be left in the end."""
    prefixes = [Path(p) for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)]
    if not any((p / "lib/milo_sim_bridge/thor_bridge").exists() for p in prefixes):
        pytest.skip("the workspace is not built or not sourced; use ./milo test")
    runs: list[Run] = []

    def make() -> Run:
        runs.append(Run(tmp_path_factory.mktemp("run") / "out"))
        return runs[-1]

    yield make
    for run in runs:
        if run.process is not None and run.process.poll() is None:
            run.kill()
        run.wait_until_gone()


@pytest.fixture(scope="session")
def full_run(make_run: Callable[[], Run]) -> tuple[Run, str, float]:
    """The benchmark v1.1: the run, what it printed, seconds."""
    run = make_run()
    begun = time.monotonic()
    out = run.finish("--planner", "rule_based", "--profile", "milo", "--version", "1.1")
    return run, out, time.monotonic() - begun


def without_times(record: dict[str, Any]) -> dict[str, Any]:
    """What two runs must have in common, also when somebody edits the checkout meanwhile."""
    return {key: value for key, value in record.items() if key not in ("time", "versions_digest")}


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: row["task_id"])
def test_outcome_steps_and_cause_of_every_task(
    full_run: tuple[Run, str, float], expected: dict[str, Any]
) -> None:
    record = next(r for r in full_run[0].records() if r["task_id"] == expected["task_id"])
    assert [len(plan["steps"]) for plan in record["plans"]] == expected["steps"]
    assert record["plan_step_count"] == record["action_count"] == sum(expected["steps"])
    assert record["plan_success"] == expected["plan"]
    assert record["execution_success"] == expected["execution"]
    assert record["goal_success"] == expected["goal"]
    assert record["cause_code"] == expected["cause"]
    assert (record["end_reason"], record["error_code"]) == ("completed", 0)


def test_lines_are_in_file_order_and_complete(full_run: tuple[Run, str, float]) -> None:
    assert [r["task_id"] for r in full_run[0].records()] == [row["task_id"] for row in EXPECTED]


def test_v1_0_rows_equal_the_published_logs(full_run: tuple[Run, str, float]) -> None:
    shared = Path(os.environ.get("MILO_SHARED") or HERE.parents[1] / "shared")
    path = shared / "data/milo/published_results.json"
    if not path.exists():
        pytest.skip(f"no published results at {path}; set MILO_SHARED")
    ours = {record["task_id"]: record for record in full_run[0].records()}
    compared = 0
    for run in json.loads(path.read_text())["runs"]:
        for values in run["episodes"]:
            row = dict(zip(run["columns"], values, strict=True))
            if row["planner"] != "rule_based":
                continue
            record = ours[row["task_id"]]
            for name in (
                "plan_success",
                "execution_success",
                "goal_success",
                "plan_step_count",
                "action_count",
            ):
                assert record[name] == row[name], (row["task_id"], name)
            assert record["cause_code"] == (row["failure_code"] or ""), row["task_id"]
            compared += 1
    assert compared >= 25


def test_totals_by_tier_are_printed(full_run: tuple[Run, str, float]) -> None:
    rows = {line.split()[0]: line.split()[1:4] for line in full_run[1].splitlines() if "%-" in line}
    assert rows == {
        "tier1_locate": ["18/18", "100.0%", "82.4%-100.0%"],
        "tier2_pickup": ["18/18", "100.0%", "82.4%-100.0%"],
        "tier3_store": ["7/9", "77.8%", "45.3%-93.7%"],
        "tier4_multi_step": ["7/9", "77.8%", "45.3%-93.7%"],
        "all": ["50/54", "92.6%", "82.4%-97.1%"],
    }


def test_one_line_an_episode_is_printed(full_run: tuple[Run, str, float]) -> None:
    lines = [line for line in full_run[1].splitlines() if line.startswith("rule_based FloorPlan")]
    assert len(lines) == 54
    assert sum("GOAL_FAIL" in line for line in lines) == 4
    assert all("\x1b" not in line for line in lines)


def test_a_refused_placement_halts_the_plan(full_run: tuple[Run, str, float]) -> None:
    records = {record["task_id"]: record for record in full_run[0].records()}
    for task_id in ("milo-v1-fp301-t3a", "milo-v1.1-fp203-t3a"):
        record = records[task_id]
        statuses = [step["status"] for step in record["plans"][0]["steps"]]
        assert statuses == ["succeeded"] * 6 + ["failed", "skipped"]
        assert record["failure_cause"].startswith(E1)
        assert (record["failed_count"], record["skipped_count"]) == (1, 1)
        assert record["dispatched_count"] == 7


@pytest.mark.parametrize(
    ("task_id", "first", "second"),
    [
        ("milo-v1.1-fp302-t4a", "[alarmclock->drawer] ", "[cd->shelf] "),
        # In the real engine the book in the hand collides on the way; here the hand is full.
        ("milo-v1.1-fp201-t4a", "[book->drawer] ", "[watch->box] "),
    ],
)
def test_tier_4_names_both_causes(
    full_run: tuple[Run, str, float], task_id: str, first: str, second: str
) -> None:
    record = next(r for r in full_run[0].records() if r["task_id"] == task_id)
    one, rest = record["failure_cause"].split("; ", 1)
    assert one == first + E1
    assert rest.startswith(second + E2)
    assert "; goal predicate failed live for: " in rest
    assert record["goal_conditions"] == 0.0
    assert [verdict["satisfied"] for verdict in record["verdicts"]] == [False, False]


def test_tier_1_tells_existence_from_perception(full_run: tuple[Run, str, float]) -> None:
    for record in full_run[0].records():
        is_tier_1 = record["difficulty_tier"] == "tier1_locate"
        assert record["exists_in_scene"] is (True if is_tier_1 else None)
        assert record["perceived_by_agent"] is None
        assert ("no vision node" in record["perception_error"]) == is_tier_1


def test_no_op_floor(full_run: tuple[Run, str, float]) -> None:
    """What is true before anything happens: all of tier 1, and half of four tier-4 tasks."""
    initially = {r["task_id"]: r["initially_true"] for r in full_run[0].records()}
    assert sum(all(values) for values in initially.values()) == 18
    half = {task_id for task_id, values in initially.items() if len(set(values)) == 2}
    assert half == {f"milo-v1.1-fp{n}-t4a" for n in (202, 402, 203, 401)}


def test_manifest_tells_what_ran_and_where(full_run: tuple[Run, str, float]) -> None:
    manifest = full_run[0].manifest()
    assert manifest["episode_count"] == 54
    assert manifest["dataset"]["name"] == "1.1"
    session = manifest["sessions"][0]
    for name in ("milo_core", "milo_sim", "milo_sim_bridge", "milo_planner", "ai2thor", "python"):
        assert session["versions"][name]
    assert session["host"]["cores"] >= 1
    digests = {record["versions_digest"] for record in full_run[0].records()}
    assert digests == {session["versions_digest"]}


def test_every_node_had_a_log_and_none_a_traceback(full_run: tuple[Run, str, float]) -> None:
    names = {path.name for path in (full_run[0].out / "logs").glob("*.log")}
    assert {f"{name}.log" for name in NODES[:-1]} <= names
    assert "Traceback" not in full_run[0].logs()


def test_the_whole_run_is_quick(full_run: tuple[Run, str, float]) -> None:
    assert full_run[2] < 90.0


def test_v1_0_gives_24_of_25_and_the_very_same_lines(
    make_run: Callable[[], Run], full_run: tuple[Run, str, float]
) -> None:
    run = make_run()
    out = run.finish("--version", "1.0")
    assert re.search(r"^\s+all\s+24/25 ", out, re.MULTILINE)
    first = full_run[0].records()[:25]
    assert [*map(without_times, run.records())] == [*map(without_times, first)]


def test_a_killed_run_goes_on_and_ends_as_if_nothing_had_happened(
    make_run: Callable[[], Run], full_run: tuple[Run, str, float]
) -> None:
    run = make_run()
    run.start()
    run.wait_for_lines(5)
    run.kill()  # the supervisor alone; its nodes must follow
    run.wait_until_gone()
    before = run.data()
    run.start()
    run.wait_for_lines(before.count(b"\n") + 8)
    for pid in _pids(run.mark):
        os.kill(pid, signal.SIGKILL)
    run.kill()
    run.wait_until_gone()
    middle = run.data()
    assert middle.startswith(before[: before.rfind(b"\n") + 1])
    out = run.finish()
    assert "are done already" in out
    assert run.data().startswith(middle[: middle.rfind(b"\n") + 1])
    records = [*map(without_times, run.records())]
    assert records == [*map(without_times, full_run[0].records())]
    assert len(run.manifest()["sessions"]) == 3


def _pids(mark: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}\0".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def stopped(run: Run, number: int, times: int) -> str:
    """Stop a run by a signal: within five seconds nothing is left; returns what it printed."""
    assert run.process is not None
    begun = time.monotonic()
    for _ in range(times):
        run.process.send_signal(number)
    out, err = run.process.communicate(timeout=20)
    assert time.monotonic() - begun < 5.0
    assert (run.process.returncode, err) == (128 + number, "")
    assert "Traceback" not in out
    # A child that was about to end by itself may need a moment more.
    left = max(0.1, 5.0 - (time.monotonic() - begun))
    wait_for(lambda: not marked(run.mark), "the end of every process", left)
    assert run.data().endswith(b"\n") or not run.data()
    return out


@pytest.mark.parametrize("processes", [2, 3, 5])
def test_ctrl_c_during_the_start(make_run: Callable[[], Run], processes: int) -> None:
    run = make_run()
    run.start("--scene", "FloorPlan1")
    wait_for(lambda: len(marked(run.mark)) >= processes, "the start of the nodes", 20.0)
    stopped(run, signal.SIGINT, 1)
    assert run.lines() == 0


def test_ctrl_c_during_the_run_keeps_the_results(make_run: Callable[[], Run]) -> None:
    run = make_run()
    run.start("--scene", "FloorPlan1")
    run.wait_for_lines(1)
    out = stopped(run, signal.SIGINT, 2)
    assert f"safe in {run.out}" in out
    assert run.lines() >= 1
    before = run.data()
    run.finish("--scene", "FloorPlan1")
    assert run.data().startswith(before)
    tasks = [record["task_id"] for record in run.records()]
    assert tasks == [row["task_id"] for row in EXPECTED if "-fp1-" in row["task_id"]]


@pytest.mark.parametrize("node", ["thor_bridge", "orchestrator"])
def test_a_node_that_dies_ends_the_run_with_one_sentence(
    make_run: Callable[[], Run], node: str
) -> None:
    run = make_run()
    process = run.start("--scene", "FloorPlan1")
    run.wait_for_lines(1)
    victims = [pid for pid in _pids(run.mark) if f"__node:={node}" in _command(pid)]
    assert len(victims) == 1
    os.kill(victims[0], signal.SIGKILL)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 1
    assert f"The node {node} ended unexpectedly (signal 9, SIGKILL)" in err
    assert err.count("\n") == 1
    assert marked(run.mark) == []


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()


def test_a_player_that_dies_costs_one_episode(make_run: Callable[[], Run]) -> None:
    run = make_run()
    process = run.start("--scene", "FloorPlan1", "--repeat", "2")
    run.wait_for_lines(1)
    players = [pid for pid in _pids(run.mark) if _is_player(pid)]
    assert players
    for pid in players:
        os.kill(pid, signal.SIGKILL)
    out, err = process.communicate(timeout=120)
    records = run.records()
    failed = [record for record in records if record["end_reason"] != "completed"]
    assert len(records) == 12, f"{out}\n{err}\n{run.logs()}"
    assert len(failed) <= 1  # between two episodes nothing is lost
    assert [r["end_reason"] for r in failed] in ([], ["engine_error"])
    assert all(9000 <= r["error_code"] < 9010 for r in failed)
    assert process.returncode == (1 if failed else 0)


def _is_player(pid: int) -> bool:
    return "milo_sim" in _command(pid) and "__node" not in _command(pid)


def test_two_runs_at_once_do_not_meet(make_run: Callable[[], Run]) -> None:
    runs = [make_run(), make_run()]
    for run in runs:
        run.start("--task", "fp1-t2a", "--repeat", "3")
    for run in runs:
        assert run.process is not None
        out, err = run.process.communicate(timeout=120)
        assert run.process.returncode == 0, out + err + run.logs()
    domains = [run.manifest()["sessions"][0]["ros_domain_id"] for run in runs]
    assert domains[0] != domains[1]
    first, second = ([*map(without_times, run.records())] for run in runs)
    assert first == second
    assert [record["seed"] for record in first] == [0, 1, 2]


def test_a_folder_in_use_is_refused(make_run: Callable[[], Run]) -> None:
    run = make_run()
    options = ["--task", "fp1-t1a", "--repeat", "50"]
    run.start(*options)
    run.wait_for_lines(1)
    second = subprocess.run(
        [sys.executable, "-m", "milo_benchmark.cli", "run", "--out", str(run.out), *options],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert second.returncode == 2
    assert "Another run is writing" in second.stderr
    assert second.stderr.count("\n") == 1
    stopped(run, signal.SIGTERM, 1)


def test_the_behavior_tree_in_the_profile_strict(make_run: Callable[[], Run]) -> None:
    run = make_run()
    run.finish("--planner", "behavior_tree", "--profile", "strict")
    records = run.records()
    failed = [r for r in records if not r["goal_success_strict"]]
    assert {r["task_id"] for r in failed} == {"milo-v1-fp301-t3a", "milo-v1.1-fp201-t4a"}
    for record in failed:
        assert (record["failure_class"], record["blame"]) == ("geometry", "execution")
        assert any(outcome["error_code"] == 1011 for outcome in record["outcomes"])
    for record in records:
        assert (record["end_reason"], record["error_code"]) == ("completed", 0)
        assert record["side_effects"] == []
        assert record["tree"]["nodes"]
        assert record["spl"] is not None
