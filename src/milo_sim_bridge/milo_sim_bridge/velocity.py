"""Velocity commands as the discrete moves of AI2-THOR's agent.

The distance that a commanded velocity would have covered is accumulated; whenever it amounts to a
cell or to a turn, that move is due. What the robot really does is up to the engine: a refused move
is lost, as when a robot pushes against a wall.
"""

import math
from dataclasses import dataclass

_MOST_PENDING = 2.0
"""Moves that may be due at once; a slower engine makes the robot slower than commanded."""


@dataclass(frozen=True)
class VelocityConfig:
    """Sizes of the moves."""

    cell: float = 0.25
    """Metres of a straight move."""
    turn_step: float = math.pi / 2
    """Radians of a turn."""
    timeout: float = 0.5
    """Seconds after which a command is no longer followed."""


@dataclass(frozen=True)
class Velocity:
    """A velocity in the frame of base_link: m/s ahead and to the left, rad/s anticlockwise."""

    ahead: float = 0.0
    left: float = 0.0
    turn: float = 0.0

    @property
    def is_finite(self) -> bool:
        """Whether it is one at all."""
        return all(map(math.isfinite, (self.ahead, self.left, self.turn)))


@dataclass(frozen=True)
class Move:
    """One engine action."""

    action: str
    arguments: dict[str, float]


class VelocityAccumulator:
    """Turns commands and the passing of time into moves; times are seconds of a steady clock."""

    def __init__(self, config: VelocityConfig) -> None:
        self._config = config
        self._command = Velocity()
        self._until = -math.inf
        self._now = 0.0
        # In moves: cells ahead, cells to the left, turns to the left.
        self._due = [0.0, 0.0, 0.0]

    def command(self, velocity: Velocity, now: float) -> None:
        """Follow a velocity from now on.

        Raises:
            ValueError: a component is no finite number.
        """
        if not velocity.is_finite:
            raise ValueError("cmd_vel needs finite numbers.")
        self._advance(now)
        if velocity == Velocity():
            self.stop()
        self._command = velocity
        self._until = now + self._config.timeout

    def stop(self) -> None:
        """Forget the command and what is due."""
        self._command = Velocity()
        self._due = [0.0, 0.0, 0.0]

    def is_idle(self, now: float) -> bool:
        """Return whether nothing can become due without a new command."""
        return now >= self._until and self._now >= self._until and max(map(abs, self._due)) < 1.0

    def next_move(self, now: float) -> Move | None:
        """Return the move that is most overdue, which counts as done with that; None: none is."""
        self._advance(now)
        axis = max(range(3), key=lambda i: abs(self._due[i]))
        if abs(self._due[axis]) < 1.0 - 1e-9:
            return None
        sign = math.copysign(1.0, self._due[axis])
        self._due[axis] -= sign
        return self._move(axis, sign > 0)

    def _move(self, axis: int, positive: bool) -> Move:
        if axis == 2:
            degrees = math.degrees(self._config.turn_step)
            return Move("RotateLeft" if positive else "RotateRight", {"degrees": degrees})
        names = (("MoveBack", "MoveAhead"), ("MoveRight", "MoveLeft"))[axis]
        return Move(names[positive], {"moveMagnitude": self._config.cell})

    def _advance(self, now: float) -> None:
        """Accumulate what the command covers until now, or until it times out."""
        seconds = max(0.0, min(now, self._until) - self._now)
        self._now = max(self._now, now)
        command, config = self._command, self._config
        speeds = (
            command.ahead / config.cell,
            command.left / config.cell,
            command.turn / config.turn_step,
        )
        for axis, speed in enumerate(speeds):
            due = self._due[axis] + speed * seconds
            self._due[axis] = max(-_MOST_PENDING, min(_MOST_PENDING, due))
