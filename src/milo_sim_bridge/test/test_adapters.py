"""The standard interfaces' translations, on stand-ins with the fields of the real messages."""

from types import SimpleNamespace as Some
from typing import Any

import numpy as np
import pytest

from milo_core.error_codes import EngineError, NavigateToError
from milo_sim_bridge.adapters import translations as to
from milo_sim_bridge.adapters.translations import Unsupported


class NavigateToPoseResult:
    NONE, UNKNOWN, TIMEOUT = 0, 9000, 9003

    def __init__(self) -> None:
        self.error_code, self.error_msg = 0, ""


@pytest.mark.parametrize(
    ("code", "nav2"),
    [(0, 0), (NavigateToError.UNREACHABLE, 9000), (EngineError.ENGINE_TIMEOUT, 9003)],
)
def test_navigation(code: int, nav2: int) -> None:
    goal = to.navigation_goal(Some(pose="there"), Some(pose=None, mode=""), "path")
    assert (goal.pose, goal.mode) == ("there", "path")
    outcome = Some(error_code=code, error_msg="No way." if code else "")
    result = to.navigation_result(outcome, NavigateToPoseResult())
    assert result.error_code == nav2
    assert result.error_msg == (f"No way. (NavigateTo {int(code)})" if code else "")
    feedback = to.navigation_feedback(Some(distance_remaining=2), Some(distance_remaining=0.0))
    assert feedback.distance_remaining == 2.0


def thing(name: str, distance: float, **fields: Any) -> Some:
    facts = {"pickupable": True, "visible": 1, "pose": f"pose of {name}"}
    return Some(object_id=name, distance=distance, **(facts | fields))


WORLD = [
    thing("far", 2.0),
    thing("table", 0.1, pickupable=False),
    thing("hidden", 0.2, visible=0),
    thing("mug", 0.8),
    thing("cup", 0.9),
]


@pytest.mark.parametrize(
    ("positions", "held", "expected"),
    [
        ([0.0], "", ("pick", "mug")),
        ([0.04], "mug", ("release", "mug")),
        ([0.04, 0.04], "", ("nothing", "")),
        ([0.0], "mug", ("nothing", "mug")),
    ],
)
def test_gripper(positions: list[float], held: str, expected: tuple[str, str]) -> None:
    world = Some(held_object_id=held, objects=WORLD)
    assert to.gripper_request(positions, 0.02, world) == expected


def test_gripper_limits() -> None:
    with pytest.raises(Unsupported, match="no position"):
        to.gripper_request([], 0.02, Some(held_object_id="", objects=[]))
    empty = Some(held_object_id="", objects=WORLD[:3])
    assert to.gripper_request([0.0], 0.02, empty) == ("nothing", "")


def test_boxes_around_labels() -> None:
    labels = np.zeros((6, 8), np.uint16)
    labels[1:3, 2:6] = 7
    labels[4, 7] = 3
    boxes = to.label_boxes(labels)
    assert [box.label for box in boxes] == [3, 7]
    assert (boxes[1].center, boxes[1].size) == ((4.0, 2.0), (4.0, 2.0))
    assert (boxes[0].center, boxes[0].size) == ((7.5, 4.5), (1.0, 1.0))
    assert to.label_boxes(np.zeros((2, 2), np.uint16)) == []
    detection = Some(
        id="", results=[], bbox=Some(center=Some(position=Some(x=0, y=0)), size_x=0, size_y=0)
    )
    hypothesis = Some(hypothesis=Some(class_id="", score=0.0))
    to.fill_detection(boxes[1], "mug_1", "Mug", detection, hypothesis)
    assert (detection.bbox.center.position.x, detection.bbox.size_x) == (4.0, 4.0)
    assert (detection.id, detection.results[0].hypothesis.class_id) == ("mug_1", "Mug")
    assert hypothesis.hypothesis.score == 1.0


# -- simulation_interfaces -------------------------------------------------------------------


class Result:
    FEATURE_UNSUPPORTED, RESULT_OK, NOT_FOUND, OPERATION_FAILED = 0, 1, 2, 4

    def __init__(self) -> None:
        self.result, self.error_message = 99, ""


def test_results_and_features_by_name() -> None:
    for name, number in (("OK", 1), ("FEATURE_UNSUPPORTED", 0), ("NOT_FOUND", 2)):
        result = Result()
        to.fill_result(result, name, "why")
        assert (result.result, result.error_message) == (number, "why")
    known = Some(ENTITY_STATE_GETTING=10, SIMULATION_RESET=20, WORLD_LOADING=40)
    assert to.features(known) == [10, 20, 40]


@pytest.mark.parametrize(
    "request_",
    [Some(uri="FloorPlan1", resource_string=""), Some(world_resource=Some(uri="thor:FloorPlan1"))],
)
def test_worlds_by_name(request_: Any) -> None:
    assert to.world_uri(request_) == "FloorPlan1"


def test_worlds_that_cannot_be_loaded() -> None:
    with pytest.raises(Unsupported, match="not as a text"):
        to.world_uri(Some(uri="", resource_string="<sdf/>"))
    with pytest.raises(Unsupported, match="names no world"):
        to.world_uri(Some(uri="", resource_string=""))


METADATA = Some(objects=WORLD, robot_pose="robot's pose")
CATEGORIES = {"ROBOT": 2, "OBJECT": 1, "STATIC_OBJECT": 5}


def entities(pattern: str = "", categories: Any = (), tags: Any = ()) -> list[str]:
    filters = Some(
        filter=pattern, categories=categories, tags=Some(tags=tags), bounds=Some(points=[])
    )
    return to.entity_names(Some(filters=filters), METADATA, CATEGORIES)


def test_entities() -> None:
    assert entities() == ["robot", "far", "table", "hidden", "mug", "cup"]
    assert entities("^(mug|robot)$") == ["robot", "mug"]
    assert entities(categories=[5, 2]) == ["robot", "table"]
    assert entities("u", categories=[Some(category=1)]) == ["mug", "cup"]
    with pytest.raises(Unsupported, match="regular expression"):
        entities("(")
    with pytest.raises(Unsupported, match="tags"):
        entities(tags=["red"])
    assert to.entity_pose("mug", METADATA) == "pose of mug"
    assert to.entity_pose("robot", METADATA) == "robot's pose"
    assert to.entity_pose("ghost", METADATA) is None


def test_every_interface_has_a_name_and_a_meaning() -> None:
    names = [mapped.name for mapped in to.INTERFACES]
    assert len(set(names)) == len(names)
    assert all(mapped.becomes for mapped in to.INTERFACES)
