"""The engine's pictures, from milo_sim through the real client."""

from collections.abc import Callable, Iterator

import pytest

from milo_sim.rendering.gl import RenderingUnavailable, create_context
from milo_sim_bridge.engine import Engine, EngineConfig, StepResult

MakeEngine = Callable[..., Engine]


@pytest.fixture
def make_engine() -> Iterator[MakeEngine]:
    engines: list[Engine] = []

    def make(wanted: set[str], **config: object) -> Engine:
        settings = EngineConfig(width=64, height=48, **config)  # type: ignore[arg-type]
        engine = Engine(settings, wanted=lambda: frozenset(wanted))
        engines.append(engine)
        return engine

    yield make
    for engine in engines:
        engine.close()


@pytest.fixture
def drawing() -> None:
    try:
        create_context().free()
    except RenderingUnavailable as error:
        pytest.skip(str(error))


def do(engine: Engine, action: str, **arguments: object) -> StepResult:
    return engine.submit(lambda: engine.step(action, **arguments)).result(60)


def reset(engine: Engine) -> StepResult:
    return engine.submit(lambda: engine.reset("FloorPlan1")).result(60)


@pytest.mark.usefixtures("drawing")
def test_pictures_come_while_they_are_wanted(make_engine: MakeEngine) -> None:
    wanted: set[str] = set()
    engine = make_engine(wanted)
    assert reset(engine).pictures.streams == frozenset()
    assert do(engine, "Pass").pictures.streams == frozenset()
    wanted.add("color")
    first = do(engine, "Pass")
    assert first.step == 3  # finding out whether it can draw is no action of anybody
    assert first.pictures.streams == {"color"}
    assert first.pictures.color.shape == (48, 64, 3)  # type: ignore[union-attr]
    wanted |= {"depth", "labels"}
    everything = do(engine, "Pass").pictures
    assert everything.streams == {"color", "depth", "labels"}
    assert everything.depth.shape == (48, 64)  # type: ignore[union-attr]
    named = {entry["name"] for entry in everything.colors}
    assert set(engine.latest.snapshot.objects) & named
    # A question changes nothing, so that there is nothing new to see.
    assert do(engine, "GetReachablePositions").pictures.streams == frozenset()
    wanted.clear()
    assert do(engine, "Pass").pictures.streams == frozenset()
    assert engine.blindness == ""


@pytest.mark.usefixtures("drawing")
def test_the_angle_of_view_is_reported(make_engine: MakeEngine) -> None:
    engine = make_engine({"color"}, field_of_view=60.0)
    assert reset(engine).field_of_view == 60.0
    assert engine.grid_size == 0.25


def test_a_headless_engine_sends_none(make_engine: MakeEngine) -> None:
    engine = make_engine({"color"}, headless=True)
    reset(engine)
    result = do(engine, "Pass")
    assert (result.success, result.pictures.streams) == (True, frozenset())
    assert engine.blindness == "The player was started without images."


def test_actions_work_on_where_the_machine_cannot_draw(
    make_engine: MakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "99")
    engine = make_engine({"color"})
    reset(engine)
    result = do(engine, "RotateRight", degrees=90.0)
    assert (result.success, result.pictures.streams) == (True, frozenset())
    assert engine.blindness.startswith("The player sends no pictures: ")
    assert "libegl1" in engine.blindness
