"""Between the standard interfaces and the robot contract, on anything that has their fields.

Constants are read by name from the message classes at hand: their numbers have changed between
releases of the standards.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from milo_core.error_codes import NONE, EngineError
from milo_core.errors import MiloError

ROBOT_ENTITY = "robot"
"""Name of the robot among the entities of a simulation."""
GRASP_DISTANCE = 1.0
"""Metres from the base within which closing the gripper takes an object."""


@dataclass(frozen=True)
class Mapped:
    """One standard interface and what it becomes."""

    package: str
    interface: str
    name: str
    """Relative name under which it is served."""
    becomes: str
    """In words, for the documentation."""


INTERFACES: tuple[Mapped, ...] = (
    Mapped(
        "nav2_msgs",
        "action/NavigateToPose",
        "navigate_to_pose",
        "navigate_to with the pose, mode path; distance_remaining is passed on",
    ),
    Mapped(
        "control_msgs",
        "action/ParallelGripperCommand",
        "gripper_cmd",
        "opening: release; closing: pick of the nearest visible object within 1 m",
    ),
    Mapped(
        "vision_msgs",
        "msg/Detection2DArray",
        "camera/labels/detections",
        "boxes around the labels of camera/labels/image_raw (simulator truth)",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/GetSimulatorFeatures",
        "get_simulator_features",
        "what of the following there is",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/LoadWorld",
        "load_world",
        "reset_scene with the uri as scene, e.g. FloorPlan1",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/ResetSimulation",
        "reset_simulation",
        "reset_scene with the present scene",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/GetEntities",
        "get_entities",
        "the objects of sim/metadata, and the robot",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/GetEntityState",
        "get_entity_state",
        "the pose of one of them",
    ),
    Mapped(
        "simulation_interfaces",
        "srv/StepSimulation",
        "step_simulation",
        "refused as unsupported: time passes with the robot's actions only",
    ),
)
"""Everything that is adapted."""
FEATURES = (
    "ENTITY_STATE_GETTING",
    "ENTITY_CATEGORIES",
    "SIMULATION_RESET",
    "SIMULATION_RESET_STATE",
    "WORLD_LOADING",
)
"""Names of the features of simulation_interfaces that there are."""


class Unsupported(MiloError):
    """A request for something that this simulator has not."""


# -- nav2_msgs -------------------------------------------------------------------------------


def navigation_goal(request: Any, goal: Any, mode: str) -> Any:
    """Fill the goal of navigate_to from a NavigateToPose goal."""
    goal.pose, goal.mode = request.pose, mode
    return goal


def navigation_result(outcome: Any, result: Any) -> Any:
    """Fill a NavigateToPose result; codes of ours that Nav2 has no word for are in the text."""
    code = outcome.error_code
    if code == NONE:
        return result
    name = "TIMEOUT" if code == EngineError.ENGINE_TIMEOUT else "UNKNOWN"
    result.error_code = getattr(type(result), name)
    result.error_msg = f"{outcome.error_msg} (NavigateTo {code})"
    return result


def navigation_feedback(feedback: Any, message: Any) -> Any:
    """Fill a NavigateToPose feedback."""
    message.distance_remaining = float(feedback.distance_remaining)
    return message


# -- control_msgs ----------------------------------------------------------------------------


def gripper_request(positions: Sequence[float], half_open: float, world: Any) -> tuple[str, str]:
    """Return what a gripper command means: ("pick" | "release" | "nothing", object id).

    Args:
        positions: of the fingers in the command, metres.
        half_open: above this the command opens.
        world: a WorldState.

    Raises:
        Unsupported: the command has no position.
    """
    if not positions:
        raise Unsupported("The gripper command names no position.")
    held = world.held_object_id
    if max(positions) > half_open:
        return ("release", held) if held else ("nothing", "")
    if held:
        return "nothing", held
    within = [
        obj
        for obj in world.objects
        if obj.pickupable and obj.visible == 1 and obj.distance <= GRASP_DISTANCE
    ]
    nearest = min(within, key=lambda obj: obj.distance, default=None)
    return ("pick", nearest.object_id) if nearest is not None else ("nothing", "")


# -- vision_msgs -----------------------------------------------------------------------------


@dataclass(frozen=True)
class LabelBox:
    """The box around all pixels of a label; pixels, the edges are those of the outer pixels."""

    label: int
    center: tuple[float, float]
    size: tuple[float, float]


def label_boxes(labels: NDArray[np.uint16]) -> list[LabelBox]:
    """Return the boxes of a label image (H, W), by label; 0 is no object."""
    boxes = []
    for label in np.unique(labels[labels > 0]):
        rows, columns = np.nonzero(labels == label)
        top, bottom = int(rows.min()), int(rows.max()) + 1
        left, right = int(columns.min()), int(columns.max()) + 1
        boxes.append(
            LabelBox(
                int(label),
                ((left + right) / 2, (top + bottom) / 2),
                (float(right - left), float(bottom - top)),
            )
        )
    return boxes


def fill_detection(
    box: LabelBox, object_id: str, object_type: str, detection: Any, hypothesis: Any
) -> Any:
    """Fill a Detection2D with one hypothesis; what a label says is certain."""
    detection.id = object_id
    detection.bbox.center.position.x, detection.bbox.center.position.y = box.center
    detection.bbox.size_x, detection.bbox.size_y = box.size
    hypothesis.hypothesis.class_id, hypothesis.hypothesis.score = object_type, 1.0
    detection.results = [hypothesis]
    return detection


# -- simulation_interfaces -------------------------------------------------------------------


def features(message: Any) -> list[int]:
    """Return the numbers of the features that there are, as a SimulatorFeatures class has them."""
    return [int(getattr(message, name)) for name in FEATURES if hasattr(message, name)]


def world_uri(request: Any) -> str:
    """Return the scene that a LoadWorld request names.

    Raises:
        Unsupported: it brings a world of its own, or names none.
    """
    # Releases before 2 have the fields in the request, later ones in a Resource.
    source = getattr(request, "world_resource", request)
    if getattr(source, "resource_string", "") and not source.uri:
        raise Unsupported("Worlds come by their name, e.g. FloorPlan1, not as a text.")
    if not source.uri:
        raise Unsupported("The request names no world; give the uri of one, e.g. FloorPlan1.")
    return str(source.uri).rpartition("/")[2].rpartition(":")[2]


def entity_names(request: Any, metadata: Any, categories: Mapping[str, int]) -> list[str]:
    """Return the names of the entities that a GetEntities request asks for.

    Args:
        request: with `filters`.
        metadata: a SimMetadata.
        categories: numbers of the categories ROBOT, OBJECT and STATIC_OBJECT.

    Raises:
        Unsupported: it filters by tags or bounds, or by no regular expression.
    """
    filters = request.filters
    if getattr(filters.tags, "tags", ()) or getattr(filters.bounds, "points", ()):
        raise Unsupported("Entities can be filtered by name and category, not by tags or bounds.")
    try:
        pattern = re.compile(filters.filter)
    except re.error as error:
        raise Unsupported(f"'{filters.filter}' is no regular expression: {error}.") from error
    wanted = {getattr(category, "category", category) for category in filters.categories}
    known = {ROBOT_ENTITY: categories["ROBOT"]}
    for obj in metadata.objects:
        known[obj.object_id] = categories["OBJECT" if obj.pickupable else "STATIC_OBJECT"]
    return [
        name
        for name, category in known.items()
        if pattern.search(name) and (not wanted or category in wanted)
    ]


def entity_pose(name: str, metadata: Any) -> Any | None:
    """Return the pose of an entity in the map frame; None: there is no such entity."""
    if name == ROBOT_ENTITY:
        return metadata.robot_pose
    found: Iterable[Any] = (obj for obj in metadata.objects if obj.object_id == name)
    return next((obj.pose for obj in found), None)


def fill_result(result: Any, name: str, text: str = "") -> None:
    """Fill a Result of simulation_interfaces by the name of its code."""
    codes = type(result)
    # RESULT_OK became OK and back between releases.
    number = next(
        getattr(codes, n) for n in (f"RESULT_{name}", name) if getattr(codes, n, None) is not None
    )
    result.result, result.error_message = number, text
