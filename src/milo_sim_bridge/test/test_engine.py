"""The engine against a real player process that dies, hangs and talks nonsense on command."""

import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import bridge_scripted_player as scripted
import pytest

from milo_core.error_codes import EngineError
from milo_sim_bridge.engine import Engine, EngineConfig, StepResult
from milo_sim_bridge.errors import EngineFailure

MakeEngine = Callable[..., Engine]


@pytest.fixture
def make_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MakeEngine]:
    engines: list[Engine] = []
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    seen: list[StepResult] = []

    def make(
        timeout: float = 20.0, start_timeout: float = 20.0, executable: str = "", **script: str
    ) -> Engine:
        monkeypatch.setenv("SCRIPTED_PLAYER", json.dumps(script))
        config = EngineConfig(
            executable=executable or str(scripted.executable(tmp_path)),
            step_timeout=timeout,
            start_timeout=start_timeout,
        )
        engine = Engine(config, seen.append)
        engine.seen = seen  # type: ignore[attr-defined]
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()
    assert list(temporary.iterdir()) == [], "the player left files behind"
    assert not (tmp_path / "home").exists(), "the home folder was written to"


def reset(engine: Engine, scene: str = "FloorPlan1") -> StepResult:
    return engine.submit(lambda: engine.reset(scene)).result(30)


def step(engine: Engine, action: str, **arguments: object) -> StepResult:
    return engine.submit(lambda: engine.step(action, **arguments)).result(30)


def failure_of(call: Callable[[], object]) -> EngineFailure:
    with pytest.raises(EngineFailure) as caught:
        call()
    return caught.value


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        threading.Event().wait(0.01)


def test_reset_and_steps_are_numbered_and_published(make_engine: MakeEngine) -> None:
    engine = make_engine()
    first = reset(engine)
    assert (first.step, first.episode, first.snapshot.scene) == (1, 1, "FloorPlan1")
    second = step(engine, "PickupObject", objectId=scripted.APPLE)
    assert (second.step, second.success, second.snapshot.held_id) == (2, True, scripted.APPLE)
    again = reset(engine)
    assert (again.step, again.episode, again.snapshot.held_id) == (3, 2, None)
    assert [r.step for r in engine.seen] == [1, 2, 3]  # type: ignore[attr-defined]
    assert engine.latest is again


def test_a_refusal_is_a_result(make_engine: MakeEngine) -> None:
    engine = make_engine()
    reset(engine)
    result = step(engine, "PickupObject", objectId=scripted.COUNTER)
    assert not result.success
    assert "must have the property CanPickup" in result.error_message
    unknown = step(engine, "Dance")
    assert (unknown.success, unknown.error_code) == (False, "InvalidAction")
    assert step(engine, "Pass").success


def test_nothing_works_before_the_first_reset(make_engine: MakeEngine) -> None:
    engine = make_engine()
    assert failure_of(lambda: step(engine, "Pass")).code is EngineError.ENGINE_NOT_READY
    assert failure_of(lambda: engine.latest).code is EngineError.ENGINE_NOT_READY


@pytest.mark.parametrize("scene", ["", "Kitchen", "FloorPlan31", "floorplan1", "FloorPlan3"])
def test_an_unknown_scene_is_named_and_keeps_the_present_one(
    make_engine: MakeEngine, scene: str
) -> None:
    engine = make_engine()
    present = reset(engine)
    failure = failure_of(lambda: reset(engine, scene))
    assert failure.code is EngineError.UNKNOWN_SCENE
    assert f"'{scene}'" in str(failure)
    assert engine.latest is present


def test_a_refused_reset_is_reported_and_the_player_kept(make_engine: MakeEngine) -> None:
    engine = make_engine()
    failure = failure_of(lambda: reset(engine, "FloorPlan2"))
    assert failure.code is EngineError.ENGINE_REFUSED_RESET
    assert "this scene can't be initialised" in str(failure)
    assert failure_of(lambda: step(engine, "Pass")).code is EngineError.ENGINE_NOT_READY
    assert reset(engine).success


@pytest.mark.parametrize("how", ["die", "garbage", "huge", "nonsense"])
def test_a_player_that_fails_is_replaced_by_the_next_reset(
    make_engine: MakeEngine, tmp_path: Path, how: str
) -> None:
    engine = make_engine(once=str(tmp_path / "once"), PickupObject=how)
    reset(engine)
    begin = time.monotonic()
    failure = failure_of(lambda: step(engine, "PickupObject", objectId=scripted.APPLE))
    assert failure.code is EngineError.ENGINE_DIED
    assert "PickupObject" in str(failure)
    assert time.monotonic() - begin < 5
    assert failure_of(lambda: step(engine, "Pass")).code is EngineError.ENGINE_NOT_READY
    assert reset(engine).episode == 2
    assert step(engine, "PickupObject", objectId=scripted.APPLE).success


def test_a_death_names_the_exit_code_and_the_last_output(make_engine: MakeEngine) -> None:
    engine = make_engine(Pass="die")
    reset(engine)
    message = str(failure_of(lambda: step(engine, "Pass")))
    assert "exit code 7" in message
    assert "the player's last words" in message


@pytest.mark.parametrize("how", ["hang", "half"])
def test_a_hung_player_is_killed_with_its_children(
    make_engine: MakeEngine, tmp_path: Path, how: str
) -> None:
    pids = tmp_path / "pids"
    engine = make_engine(timeout=1.0, Pass=how, pids=str(pids))
    reset(engine)
    running = [int(pid) for pid in pids.read_text().split()]
    assert all(map(is_running, running))
    failure = failure_of(lambda: step(engine, "Pass"))
    assert failure.code is EngineError.ENGINE_TIMEOUT
    wait_until(lambda: not any(map(is_running, running)))


def test_a_hung_reset_is_noticed(make_engine: MakeEngine, tmp_path: Path) -> None:
    engine = make_engine(timeout=1.0, Initialize="hang", once=str(tmp_path / "once"))
    assert failure_of(lambda: reset(engine)).code is EngineError.ENGINE_TIMEOUT
    assert reset(engine).success


def test_a_player_killed_while_idle_is_replaced(make_engine: MakeEngine, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    engine = make_engine(pids=str(pids))
    reset(engine)
    player = int(pids.read_text().split()[0])
    os.kill(player, 9)
    wait_until(lambda: not is_running(player))
    assert reset(engine).episode == 2
    assert step(engine, "Pass").success


@pytest.mark.parametrize(("how", "words"), [("die", "exit code 7"), ("hang", "within 1.5 s")])
def test_a_player_that_never_starts(make_engine: MakeEngine, how: str, words: str) -> None:
    engine = make_engine(start_timeout=1.5, start=how)
    failure = failure_of(lambda: reset(engine))
    assert failure.code is EngineError.ENGINE_START_FAILED
    assert words in str(failure)


def test_a_missing_executable(make_engine: MakeEngine) -> None:
    engine = make_engine(executable="/nowhere/no player")
    failure = failure_of(lambda: reset(engine))
    assert failure.code is EngineError.ENGINE_START_FAILED
    assert "/nowhere/no player can't be started: No such file or directory." in str(failure)


def test_close_interrupts_a_hung_step(make_engine: MakeEngine, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    engine = make_engine(Pass="hang", pids=str(pids))
    reset(engine)
    hung = engine.submit(lambda: engine.step("Pass"))
    wait_until(hung.running)
    begin = time.monotonic()
    engine.close()
    assert time.monotonic() - begin < 10
    assert failure_of(hung.result).code is EngineError.ENGINE_DIED
    assert not any(is_running(int(pid)) for pid in pids.read_text().split())


def test_jobs_run_in_order_and_can_be_cancelled_until_they_begin(
    make_engine: MakeEngine, tmp_path: Path
) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    engine = make_engine(Pass=f"gate:{gate}")
    reset(engine)
    first = engine.submit(lambda: engine.step("Pass"))
    wait_until(first.running)
    second = engine.submit(lambda: engine.step("GetReachablePositions"))
    assert not first.cancel()
    assert second.cancel()
    gate.write_bytes(b"go")
    assert first.result(10).step == 2
    assert step(engine, "GetReachablePositions").step == 3
