"""One client's session with the simulator: the scene, the settings and the last action's outcome.

A session turns one client message into one Outcome and never raises for what a client sends.
"""

from __future__ import annotations

import json
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from milo_sim import consequences
from milo_sim.cameras import CameraSet, WantedImages, wanted_images, wants_images
from milo_sim.dispatch import Dispatcher
from milo_sim.errors import ActionFailed
from milo_sim.scene import Scene, load_scene
from milo_sim.state import Settings
from milo_sim.world import World

if TYPE_CHECKING:
    from milo_sim.rendering.pictures import Field, Pictures

FIRST_SCENE = "FloorPlan1"
DEFAULT_SIDE = 300


@dataclass(frozen=True)
class Outcome:
    """What the metadata reports about the last action.

    ``patch`` tells that the answer is a METADATA_PATCH, which repeats nothing that has not
    changed.
    """

    action: str
    success: bool
    error_message: str = ""
    error_code: str | None = None
    action_return: Any = None
    patch: bool = False


class Session:
    """State behind one pair of pipes.

    Attributes:
        world: The running scene.
        width: Image width [px], kept when the scene changes.
        height: Image height [px], kept when the scene changes.
        fast_emit: Whether actions that change nothing are answered by a patch.
        camera_near_plane: Near clipping plane [m].
        camera_far_plane: Far clipping plane [m].
        cameras: Third-party cameras.
        sends_images: Whether events carry images, unless an action says otherwise.
        wanted: Images that go with each event beside the colour picture.
        colors: The metadata field of that name: colours of the segmentation images, or None.
        mass_threshold: Initialize's massThreshold in kilograms, or None.
        agent_age: Number of full events since the agent was made, by Reset or Initialize.
        sequence_id: Number of the last message.
    """

    def __init__(
        self, dispatcher: Dispatcher, width: int = DEFAULT_SIDE, height: int = DEFAULT_SIDE
    ) -> None:
        self._dispatcher = dispatcher
        self.width = width
        self.height = height
        self.fast_emit = True
        self.camera_near_plane = 0.01
        self.camera_far_plane = 20.0
        self.cameras = CameraSet()
        self.sends_images = False
        self.wanted = WantedImages()
        self.colors: list[dict[str, Any]] | None = None
        self._pictures: Pictures | None = None
        self._images_due = False
        self.mass_threshold: float | None = None
        self.agent_age = 0
        self.sequence_id = 0
        self._scene_problem: ActionFailed | None = None
        self.load(FIRST_SCENE)

    def load(self, scene_name: str) -> None:
        """Start a scene afresh, with default settings.

        Raises:
            UnknownSceneError: There is no such scene.
            SceneFileError: The name is that of a scene file which cannot be used.
        """
        self.show(load_scene(scene_name), Settings(width=self.width, height=self.height))

    def show(self, scene: Scene, settings: Settings) -> None:
        """Start a scene afresh."""
        self.world = World(scene, settings)
        self._scene_problem = None
        self.agent_age = 0
        self.cameras = CameraSet()

    def answer(self, body: bytes) -> Outcome:
        """Carry out the action of one message body (UTF-8 JSON)."""
        self._images_due = False
        try:
            message = json.loads(body)
        except ValueError as error:  # also UnicodeDecodeError
            return _malformed(f"The message is not valid JSON: {error}.")
        if not isinstance(message, dict) or not isinstance(message.get("action"), str):
            return _malformed('The message is not a JSON object with an "action" name.')
        sequence_id = message.get("sequenceId", self.sequence_id)
        if not isinstance(sequence_id, int):
            return _malformed(f"sequenceId {sequence_id!r} is not an integer.")
        self.sequence_id = sequence_id
        return self.step(message)

    def step(self, message: Mapping[str, Any]) -> Outcome:
        """Carry out one action, given as AI2-THOR's action dictionary."""
        name = str(message.get("action"))
        try:
            outcome = self._act(name, message)
            if not outcome.patch:
                self.world.time += consequences.SECONDS_PER_STEP
                consequences.follow(self.world)
        except Exception as error:
            return Outcome(name, False, _crash_message(error))
        return outcome

    def _act(self, name: str, message: Mapping[str, Any]) -> Outcome:
        try:
            self._images_due = wants_images(message, self.sends_images)
            if name == "Initialize":
                self.sends_images = self._images_due
            elif name == "Reset":
                # The scene is shown by the Initialize that follows.
                self._images_due = False
            self.wanted = wanted_images(message, self.wanted)
            self._check_agent(message)
            self._check_scene(name)
            call = self._dispatcher.resolve(message)
            returned = call.handler(self, call.arguments)
        except ActionFailed as failure:
            if name == "Reset":
                self._scene_problem = failure
            return Outcome(name, False, _error_message(name, failure), failure.error_code)
        return Outcome(
            name, True, action_return=returned, patch=call.action.fast_emit and self.fast_emit
        )

    def open_pictures(self) -> None:
        """Get ready to draw.

        Raises:
            ActionFailed: This machine cannot; the message says what to install.
        """
        if self._pictures is not None:
            return
        from milo_sim.rendering.gl import RenderingUnavailable
        from milo_sim.rendering.pictures import Pictures

        try:
            self._pictures = Pictures(self.world)
        except RenderingUnavailable as error:
            raise ActionFailed(str(error), error_code="InvalidArgument") from error

    def close(self) -> None:
        """Give back what drawing has taken."""
        if self._pictures is not None:
            self._pictures.close()
            self._pictures = None

    def images(self, outcome: Outcome) -> tuple[list[Field], Outcome]:
        """Images for the event that answers the last action; none for a headless client.

        Returns them with the outcome, which becomes a failure where this machine cannot draw.
        """
        self.colors = None
        if not self._images_due:
            return [], outcome
        try:
            self.open_pictures()
            return self._drawn(), outcome
        except ActionFailed as failure:
            message, code = _error_message(outcome.action, failure), failure.error_code
        except Exception as error:
            message, code = _crash_message(error), None
        if not outcome.success:
            return [], outcome
        return [], Outcome(outcome.action, False, message, code)

    def _drawn(self) -> list[Field]:
        from milo_sim.rendering.pictures import agent_camera, third_party_camera

        assert self._pictures is not None
        fields = self._pictures.fields(
            self.world,
            agent_camera(self.world, self.camera_near_plane, self.camera_far_plane),
            [third_party_camera(camera) for camera in self.cameras.cameras],
            (self.width, self.height),
            self.wanted,
        )
        if self.wanted.masks:
            self.colors = self._pictures.color_table()
        return fields

    def _check_scene(self, action: str) -> None:
        """Refuse Initialize after a Reset that failed, because the client looks at this one only.

        Else it would go on in the scene before without noticing.
        """
        if action == "Initialize" and self._scene_problem is not None:
            raise self._scene_problem

    @staticmethod
    def _check_agent(message: Mapping[str, Any]) -> None:
        if message.get("agentId", 0) != 0:
            raise ActionFailed(
                f"There is no agent {message['agentId']!r}: milo_sim has one agent, number 0.",
                error_code="InvalidArgument",
            )


def _malformed(message: str) -> Outcome:
    return Outcome("", False, message, "InvalidAction")


def _error_message(action: str, failure: ActionFailed) -> str:
    if failure.exception_type is None:
        return failure.message
    return f"{failure.exception_type}: {failure.message}. trace:   at milo_sim {action}"


def _crash_message(error: Exception) -> str:
    """What the client hears of an error in milo_sim itself; all of it goes to stderr."""
    traceback.print_exception(error, file=sys.stderr)
    return f"{type(error).__name__}: {error}. trace: {_innermost_frame(error)}"


def _innermost_frame(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"  at {frame.name} in {frame.filename}:{frame.lineno}"
