"""Engines: choosing one, one that is missing or dies, and nothing that stays behind."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest

from milo_planner import pddl_engines
from milo_planner.agenda import AgendaItem, Verb
from milo_planner.guarded_process import GuardedProcess
from milo_planner.memory import Memory
from milo_planner.pddl_engines import (
    NO_ENGINE,
    AriesEngine,
    Assignment,
    EngineFailure,
    FastDownwardEngine,
    NoPlanFoundError,
    PddlEngineError,
    engine,
)
from milo_planner.pddl_planner import PddlPlanner
from milo_planner.pddl_scope import agenda_scope
from milo_planner.pddl_task import Table, ground
from milo_planner.registry import make_planner


@pytest.fixture
def assignment(house):
    world = Memory().belief(house.world)
    scope = agenda_scope([AgendaItem(0, Verb.STORE, "Mug|1", "Fridge|1")], world, Memory())
    return Assignment(scope, world, Table(), ground(scope, world))


@pytest.fixture
def aries():
    made = AriesEngine()
    yield made
    made.close()


def alive(group):
    """Whether a process of a group still runs; the ended ones may wait to be collected."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, process_group = stat.read_text().rsplit(")", 1)[1].split()[:3]
            if int(process_group) == group and state not in "ZX":
                return True
    return False


def gone(group):
    """Whether nothing of a process group runs any more, after a moment."""
    deadline = time.monotonic() + 5.0
    while alive(group) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not alive(group)


def test_the_default_is_the_first_that_is_installed():
    assert engine("auto").name == "aries"
    assert engine("auto") is engine("aries")
    with pytest.raises(PddlEngineError, match="There is no engine 'magic'; use auto, aries"):
        make_planner("pddl", engine_name="magic")


def test_without_an_engine_the_planner_says_what_to_do(monkeypatch):
    def missing():
        raise PddlEngineError("It is not installed.")

    monkeypatch.setattr(pddl_engines, "_ENGINES", {"aries": missing})
    with pytest.raises(PddlEngineError) as caught:
        PddlPlanner()
    assert str(caught.value) == NO_ENGINE
    assert "./milo setup" in NO_ENGINE


def test_a_missing_engine_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "up_aries.solver", None)
    with pytest.raises(PddlEngineError, match="pip install unified-planning up-aries"):
        AriesEngine()
    monkeypatch.setattr(pddl_engines, "_fast_downward", lambda: None)
    with pytest.raises(PddlEngineError, match="milo setup --with eai"):
        FastDownwardEngine()


def test_the_registry_does_not_load_the_library():
    code = "import sys, milo_planner.registry; sys.exit('unified_planning' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_no_credits_are_printed(house):
    code = textwrap.dedent("""
        from milo_core.tasks import SubGoal
        from milo_core.world_model import ObjectBelief, WorldModel
        from milo_planner.pddl_planner import PddlPlanner
        mug = ObjectBelief("Mug|1", "Mug", (0, 0, 0), (0, 0, 0), (1, 1, 1), pickupable=True)
        result = PddlPlanner().plan(SubGoal("pick_up", "mug"), WorldModel(objects={"Mug|1": mug}))
        assert result.success
    """)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout + done.stderr == ""


def test_a_server_is_kept_between_tasks_and_replaced_when_it_dies(aries, assignment):
    assert len(aries.solve(assignment, 5.0)) > 5
    first = aries.process
    aries.solve(assignment, 5.0)
    assert aries.process is first
    os.killpg(first.group, signal.SIGKILL)
    assert len(aries.solve(assignment, 5.0)) > 5
    assert aries.process is not first
    assert gone(first.group)


def test_a_server_that_dies_over_a_task_is_tried_once_more(aries, assignment, monkeypatch):
    real, starts = aries._server, []

    def dying():
        stub = real()
        starts.append(aries.process.group)
        os.killpg(aries.process.group, signal.SIGKILL)
        return stub

    monkeypatch.setattr(aries, "_server", dying)
    with pytest.raises(EngineFailure, match="The engine aries died twice over one task"):
        aries.solve(assignment, 5.0)
    assert len(starts) == 2


def test_a_program_that_is_no_server_is_a_clear_error(aries, assignment, monkeypatch):
    monkeypatch.setattr(aries, "_program", "/bin/false")
    with pytest.raises(EngineFailure, match="did not start"):
        aries.solve(assignment, 5.0)


def test_an_engine_that_gets_no_time_says_so(aries, assignment, monkeypatch):
    aries.solve(assignment, 5.0)
    os.killpg(aries.process.group, signal.SIGSTOP)
    monkeypatch.setattr(pddl_engines, "_GRACE", 0.1)
    with pytest.raises(NoPlanFoundError, match=r"none was found within 0\.1 s"):
        aries.solve(assignment, 0.1)
    assert aries.process is None


def test_several_threads_share_a_server(aries, assignment):
    plans = []
    threads = [
        threading.Thread(target=lambda: plans.append(aries.solve(assignment, 5.0)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(plans) == 4


def test_fast_downward_solves_the_same_task(assignment):
    pytest.importorskip("up_fast_downward")
    steps = engine("fast_downward").solve(assignment, 20.0)
    assert ("place", ("Mug|1", "Fridge|1")) in steps
    with pytest.raises(NoPlanFoundError, match="within"):
        engine("fast_downward").solve(assignment, 0.01)


@pytest.mark.parametrize(
    ("code", "error", "text"),
    [
        (None, NoPlanFoundError, "within 5 s"),
        (12, NoPlanFoundError, "proves that there is none"),
        (32, EngineFailure, "exit code 32"),
    ],
)
def test_exit_codes_of_fast_downward_are_told_apart(code, error, text):
    reason = FastDownwardEngine._reason(code, 5.0)
    assert isinstance(reason, error)
    assert text in str(reason)


# -- nothing stays behind ----------------------------------------------------------------------

HOLDER = """
import sys, time
from milo_planner.guarded_process import GuardedProcess
process = GuardedProcess(["/bin/sh", "-c", "sleep 60 & sleep 60"])
print(process.group, flush=True)
{ending}
"""


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_process_that_started_it(number):
    ending = "time.sleep(60)" if number else ""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER.format(ending=ending)], stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    group = int(holder.stdout.readline())
    try:
        if number:
            holder.send_signal(number)
        holder.wait(10)
        assert gone(group)
    finally:
        holder.stdout.close()
        with suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)


def test_a_program_is_stopped_with_its_children():
    process = GuardedProcess(["/bin/sh", "-c", "sleep 60 & sleep 60"])
    assert process.running
    assert process.wait(0.01) is None
    process.stop()
    process.stop()
    assert not process.running
    assert gone(process.group)


def test_the_guard_ends_with_the_program():
    process = GuardedProcess(["/bin/sh", "-c", "exit 7"])
    assert process.wait(5.0) == 7
    assert gone(process.group)
    process.stop()
