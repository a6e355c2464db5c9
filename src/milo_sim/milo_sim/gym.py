"""The simulator as a Gymnasium environment (``pip install 'milo_sim[gym]'``).

``ThorEnv`` runs the same session as the player does, in this process and without the ai2thor
package: actions have AI2-THOR's names, checks and consequences. Importing this module registers
``milo_sim/Thor-v0``, so ``gymnasium.make("milo_sim.gym:milo_sim/Thor-v0")`` works too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import gymnasium
import msgpack  # type: ignore[import-untyped]
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from milo_core.goals import all_satisfied, evaluate_all
from milo_core.object_types import OBJECT_TYPES
from milo_core.snapshot import Snapshot
from milo_core.tasks import SubGoal
from milo_sim.actions import make_dispatcher
from milo_sim.agent import camera_matrix
from milo_sim.metadata import MetadataEncoder
from milo_sim.protocol import FieldType
from milo_sim.scene import SceneObject
from milo_sim.session import Outcome, Session
from milo_sim.state import ObjectState

Observation = dict[str, Any]
Info = dict[str, Any]

TYPES: tuple[str, ...] = tuple(sorted(OBJECT_TYPES))
"""Object types in the order of the observations."""
MOTIONS: tuple[str, ...] = (
    "MoveAhead",
    "MoveBack",
    "MoveLeft",
    "MoveRight",
    "RotateLeft",
    "RotateRight",
    "LookUp",
    "LookDown",
    "Crouch",
    "Stand",
    "DropHandObject",
)
"""Actions without a target."""
_FARTHEST = 1000.0
_SEEDS = 2**31 - 1


class _Manipulation(NamedTuple):
    """An action on an object, and which objects it suits."""

    name: str
    flag: str
    suits: Callable[[ObjectState], bool]


_MANIPULATIONS = (
    _Manipulation("PickupObject", "pickupable", lambda state: not state.is_picked_up),
    _Manipulation("PutObject", "receptacle", lambda state: not state.is_picked_up),
    _Manipulation("OpenObject", "openable", lambda state: not state.is_open),
    _Manipulation("CloseObject", "openable", lambda state: state.is_open),
    _Manipulation("ToggleObjectOn", "toggleable", lambda state: not state.is_toggled),
    _Manipulation("ToggleObjectOff", "toggleable", lambda state: state.is_toggled),
    _Manipulation("SliceObject", "sliceable", lambda state: not state.is_sliced),
)
ACTIONS: tuple[str, ...] = (*MOTIONS, *(entry.name for entry in _MANIPULATIONS))
"""Meaning of each number of the action space."""


class ThorEnv(gymnasium.Env[Observation, np.int64]):
    """One agent in iTHOR scenes or in scenes of one's own.

    The observation is a dict:

    * ``agent``: (5,) float32: x, y, z [m], yaw and horizon [degrees], in Unity's frame;
    * ``standing``: 1 or 0;
    * ``held``: 0 for an empty hand, else 1 + index in ``TYPES`` of what it holds;
    * ``visible``: (131,) int8: 1 for each type in ``TYPES`` of which the agent sees an object
      within its visibility distance;
    * ``rgb``: (height, width, 3) uint8, only with ``images``.

    An action is an index in ``ACTIONS``. Those on an object act on the visible, interactable object
    they suit that is nearest to the middle of the view (ties: the first by id); without one they
    fail. A failed action only lets time pass. ``info`` tells ``action``, ``object_id`` (or None),
    ``success``, ``error`` (AI2-THOR's message) and ``scene``.

    With ``goals`` the reward is 1 in the step after which all of them hold, which ends the episode,
    and 0 before; without goals it is always 0 and no episode ends: wrap the environment, with
    :meth:`thor_metadata` at hand. It never truncates; ``gymnasium.wrappers.TimeLimit`` does.

    The same seed gives the same episode. Options of ``reset``: ``scene``, one of ``scenes``.

    Attributes:
        session: The simulator, for what the action space lacks: ``session.step`` takes any action
            of AI2-THOR as a dict.
    """

    # Gymnasium declares this as an instance's.
    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 10}  # noqa: RUF012

    def __init__(
        self,
        scenes: str | Sequence[str] = "FloorPlan1",
        goals: Sequence[SubGoal] = (),
        *,
        images: bool = False,
        width: int = 300,
        height: int = 300,
        random_start: bool = False,
        random_objects: bool = False,
        render_mode: Literal["rgb_array"] | None = None,
        **initialize: Any,
    ) -> None:
        """Make the environment; the first ``reset`` starts a scene.

        Args:
            scenes: Names or scene files, of which ``reset`` draws one.
            goals: Sub-goals, judged by :mod:`milo_core.goals`.
            images: Whether observations have ``rgb``; needs EGL or OSMesa.
            width: Of pictures [px].
            height: Of pictures [px].
            random_start: Draw the agent's place and yaw, else the scene's own.
            random_objects: Draw the objects' places by InitialRandomSpawn.
            render_mode: ``rgb_array`` for ``render``.
            initialize: More arguments of AI2-THOR's Initialize, such as ``gridSize``.

        Raises:
            ValueError: There is no scene, or no such render mode.
        """
        self._scenes = (scenes,) if isinstance(scenes, str) else tuple(scenes)
        if not self._scenes:
            raise ValueError("ThorEnv needs at least one scene.")
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f'render_mode is "rgb_array" or None, not {render_mode!r}.')
        self.render_mode = render_mode
        self._goals = tuple(goals)
        self._shows = images
        self._draws = images or render_mode is not None
        self._random_start, self._random_objects = random_start, random_objects
        self._initialize = initialize
        self.session = Session(make_dispatcher(), width, height)
        self._encoder = MetadataEncoder()
        self._outcome = Outcome("", success=True)
        self._frame: npt.NDArray[np.uint8] | None = None
        self.action_space = spaces.Discrete(len(ACTIONS))
        self.observation_space = _observation_space(width, height, images)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start an episode.

        Raises:
            ValueError: The option names a scene that is not among ``scenes``.
            RuntimeError: The scene cannot be loaded or drawn.
        """
        super().reset(seed=seed)
        self._must("Reset", sceneName=self._choose_scene(options or {}))
        self._must("Initialize", renderImage=self._draws, **self._initialize)
        if self._random_objects:
            self._act("InitialRandomSpawn", randomSeed=int(self.np_random.integers(_SEEDS)))
        if self._random_start:
            self._place_agent()
        self._draw()
        return self._observation(), self._info(None)

    def step(self, action: int | np.int64) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out one action: observation, reward, terminated, truncated, info."""
        name, target = ACTIONS[int(action)], None
        if name in MOTIONS:
            self._act(name)
        else:
            target = self._target(_MANIPULATIONS[int(action) - len(MOTIONS)])
            if target is None:
                self._outcome = Outcome(name, False, f"Nothing that {name} suits is in reach.")
            else:
                self._act(name, objectId=target)
        self._draw()
        done = self._goals_hold()
        return self._observation(), float(done), done, False, self._info(target)

    def render(self) -> npt.NDArray[np.uint8] | None:
        """What the agent sees, (height, width, 3); None without a render mode."""
        return None if self.render_mode is None else self._frame

    def close(self) -> None:
        """Give back what drawing has taken."""
        self.session.close()

    def thor_metadata(self) -> dict[str, Any]:
        """AI2-THOR's metadata of the last action's event."""
        event = msgpack.unpackb(self._encoder.event(self.session, self._outcome))
        metadata: dict[str, Any] = event["agents"][0]
        return metadata

    # Starting

    def _choose_scene(self, options: dict[str, Any]) -> str:
        if "scene" not in options:
            return self._scenes[int(self.np_random.integers(len(self._scenes)))]
        scene = options["scene"]
        if scene not in self._scenes:
            raise ValueError(f"The scene {scene!r} is not among those of this environment.")
        return str(scene)

    def _place_agent(self) -> None:
        places = self.session.world.reachable_positions()
        x, y, z = places[int(self.np_random.integers(len(places)))]
        yaw = 90.0 * int(self.np_random.integers(4))
        self._act("Teleport", position={"x": x, "y": y, "z": z}, rotation={"y": yaw})

    # Acting

    def _act(self, name: str, **arguments: Any) -> None:
        message = {"action": name, "renderImage": self._draws, **arguments}
        self._outcome = self.session.step(message)

    def _must(self, name: str, **arguments: Any) -> None:
        self._act(name, **arguments)
        if not self._outcome.success:
            raise RuntimeError(self._outcome.error_message)

    def _target(self, manipulation: _Manipulation) -> str | None:
        """Id of the suitable object that is nearest to the middle of the view."""
        world = self.session.world
        ahead = camera_matrix(world)[:, 2]

        def off_axis(object_id: str) -> tuple[float, str]:
            offset = np.subtract(world.objects[object_id].aabb_center, world.camera_position)
            distance = float(np.linalg.norm(offset)) or 1.0
            cosine = max(-1.0, min(1.0, float(offset @ ahead) / distance))
            return (round(math.acos(cosine), 6), object_id)

        def suits(fixed: SceneObject, state: ObjectState) -> bool:
            return fixed.has(manipulation.flag) and manipulation.suits(state)

        seen = world.visibility()
        found = (
            key
            for key, state in world.objects.items()
            if seen[key].visible and seen[key].interactable
            if suits(world.scene_objects[key], state)
        )
        return min(found, key=off_axis, default=None)

    def _draw(self) -> None:
        if not self._draws:
            return
        fields, outcome = self.session.images(self._outcome)
        if not fields:
            raise RuntimeError(outcome.error_message)
        picture = next(array for kind, array in fields if kind is FieldType.RGB_IMAGE)
        shape = (self.session.height, self.session.width, 3)
        # On the wire the bottom row comes first, and the array is used again for the next picture.
        self._frame = np.flip(picture.reshape(shape), axis=0).copy()

    # Telling

    def _goals_hold(self) -> bool:
        if not self._goals:
            return False
        snapshot = Snapshot.from_metadata(self.thor_metadata())
        return all_satisfied(evaluate_all(self._goals, snapshot))

    def _observation(self) -> Observation:
        world = self.session.world
        agent = world.agent
        observation: Observation = {
            "agent": np.array([*agent.position, agent.yaw, agent.horizon], dtype=np.float32),
            "standing": np.int64(agent.standing),
            "held": np.int64(0),
            "visible": np.zeros(len(TYPES), dtype=np.int8),
        }
        if world.held_id is not None:
            held = world.scene_objects[world.held_id].object_type
            observation["held"] = np.int64(1 + TYPES.index(held))
        for key, seen in world.visibility().items():
            if seen.visible:
                observation["visible"][TYPES.index(world.scene_objects[key].object_type)] = 1
        if self._shows:
            observation["rgb"] = self._frame
        return observation

    def _info(self, target: str | None) -> Info:
        return {
            "action": self._outcome.action,
            "object_id": target,
            "success": self._outcome.success,
            "error": self._outcome.error_message,
            "scene": self.session.world.scene.scene_name,
        }


def _observation_space(width: int, height: int, images: bool) -> spaces.Dict:
    far = [_FARTHEST] * 3
    parts: dict[str, spaces.Space[Any]] = {
        "agent": spaces.Box(
            np.array([*(-v for v in far), 0.0, -90.0], dtype=np.float32),
            np.array([*far, 360.0, 90.0], dtype=np.float32),
        ),
        "standing": spaces.Discrete(2),
        "held": spaces.Discrete(1 + len(TYPES)),
        "visible": spaces.MultiBinary(len(TYPES)),
    }
    if images:
        parts["rgb"] = spaces.Box(0, 255, (height, width, 3), np.uint8)
    return spaces.Dict(parts)


gymnasium.register("milo_sim/Thor-v0", entry_point="milo_sim.gym:ThorEnv")
