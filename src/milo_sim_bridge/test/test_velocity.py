import math

import pytest

from milo_sim_bridge.velocity import Move, Velocity, VelocityAccumulator, VelocityConfig

CONFIG = VelocityConfig(cell=0.25, turn_step=math.pi / 2, timeout=0.5)


def follow(
    velocity: Velocity, seconds: float, refresh: float = 0.1, config: VelocityConfig = CONFIG
) -> list[Move]:
    """Moves of an accumulator that is commanded all the time."""
    accumulator = VelocityAccumulator(config)
    moves = []
    for tick in range(round(seconds / refresh) + 1):
        accumulator.command(velocity, 100.0 + tick * refresh)
        while (move := accumulator.next_move(100.0 + tick * refresh)) is not None:
            moves.append(move)
    return moves


def test_distance_becomes_cells() -> None:
    ahead = follow(Velocity(ahead=0.5), 2.01)
    assert ahead == [Move("MoveAhead", {"moveMagnitude": 0.25})] * 4
    assert [m.action for m in follow(Velocity(ahead=-0.25), 1.01)] == ["MoveBack"]
    assert [m.action for m in follow(Velocity(left=0.25), 1.01)] == ["MoveLeft"]
    assert [m.action for m in follow(Velocity(left=-0.25), 1.01)] == ["MoveRight"]
    assert follow(Velocity(ahead=0.1), 1.0) == []


def test_turns_are_anticlockwise_for_positive_speeds() -> None:
    assert follow(Velocity(turn=math.pi / 2), 1.01) == [Move("RotateLeft", {"degrees": 90.0})]
    assert [m.action for m in follow(Velocity(turn=-math.pi), 1.01)] == ["RotateRight"] * 2
    fine = VelocityConfig(turn_step=math.radians(30))
    moves = follow(Velocity(turn=math.pi / 2), 1.01, config=fine)
    assert moves == [Move("RotateLeft", {"degrees": pytest.approx(30.0)})] * 3


def test_a_slow_speed_adds_up_and_both_axes_do() -> None:
    names = [m.action for m in follow(Velocity(ahead=0.1, turn=0.5), 5.01)]
    assert names.count("MoveAhead") == 2
    assert names.count("RotateLeft") == 1


def test_a_command_runs_out() -> None:
    accumulator = VelocityAccumulator(CONFIG)
    accumulator.command(Velocity(ahead=1.0), 10.0)
    assert not accumulator.is_idle(10.1)
    assert accumulator.next_move(60.0) is not None
    assert accumulator.next_move(60.0) is not None
    assert accumulator.next_move(60.0) is None  # half a second at 1 m/s
    assert accumulator.is_idle(60.0)


def test_zero_stops_at_once_and_forgets_what_was_due() -> None:
    accumulator = VelocityAccumulator(CONFIG)
    accumulator.command(Velocity(ahead=1.0), 10.0)
    accumulator.command(Velocity(), 10.3)
    assert accumulator.next_move(10.4) is None
    accumulator.command(Velocity(ahead=0.25), 10.4)
    assert accumulator.next_move(10.6) is None


def test_a_slow_engine_is_not_followed_by_a_flood() -> None:
    accumulator = VelocityAccumulator(CONFIG)
    for tick in range(100):
        accumulator.command(Velocity(ahead=2.0), tick * 0.1)
    moves = 0
    while accumulator.next_move(9.9) is not None:
        moves += 1
    assert moves == 2


@pytest.mark.parametrize("speed", [math.nan, math.inf])
def test_no_number_is_no_command(speed: float) -> None:
    accumulator = VelocityAccumulator(CONFIG)
    with pytest.raises(ValueError, match="finite"):
        accumulator.command(Velocity(ahead=speed), 1.0)
    assert accumulator.next_move(9.0) is None
    assert accumulator.is_idle(9.0)
