"""The contract file, and every rule on observations made by hand."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from milo_sim_bridge.contract import (
    Contract,
    ContractError,
    Frames,
    Interface,
    Qos,
    Rate,
    default_path,
    load,
)
from milo_sim_bridge.contract_findings import (
    CameraFacts,
    Check,
    Edge,
    Endpoint,
    GoalEnd,
    ImageFacts,
    ObjectFacts,
    Observed,
    Sample,
    Status,
)
from milo_sim_bridge.contract_geometry import judge_camera, judge_tree
from milo_sim_bridge.contract_rules import (
    failed,
    judge,
    judge_content,
    judge_frame,
    judge_qos,
    judge_rate,
    judge_refusal,
    judge_stamps,
)

CONTRACT = load()
BY_NAME = {i.name: i for i in CONTRACT.interfaces}
COLOR, DEPTH = BY_NAME["camera/color/image_raw"], BY_NAME["camera/depth/image_raw"]
OPTICAL = "camera_color_optical_frame"


def sample(stamp: float = 10.0, now: float = 10.0, **fields: Any) -> Sample:
    return Sample(received=now, now=now, stamp=stamp, **fields)


# -- the file --------------------------------------------------------------------------------


def test_the_shipped_contract_names_what_a_planner_needs() -> None:
    required = {i.name for i in CONTRACT.interfaces if i.required}
    assert required >= {"navigate_to", "pick", "place", "set_open", "release", "tf", "odom"}
    assert all(i.kind == "topic" for i in CONTRACT.checked(read_only=True))
    assert {m.name for m in CONTRACT.groups(CONTRACT.interfaces)["object facts"]} == {
        *("sim/metadata", "object_states")
    }


def changed(path: Path, **fields: Any) -> Path:
    """Write the shipped contract with changes of its first interface."""
    raw = yaml.safe_load(default_path().read_text())
    raw["interfaces"][0] |= fields
    raw["interfaces"][0] = {k: v for k, v in raw["interfaces"][0].items() if v is not None}
    target = path / "contract.yaml"
    target.write_text(yaml.safe_dump(raw))
    return target


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"nmae": "x"}, "interfaces.0 (camera/color/image_raw).nmae: extra inputs"),
        ({"type": "Image"}, ".type: string should match"),
        ({"type": "sensor_msgs/srv/Image"}, "the form package/msg/Name"),
        ({"kind": "action", "type": "a/action/B"}, "are for topics, not a action"),
        ({"qos": None}, "a topic needs its qos"),
        ({"rate": {"min": "5"}}, "rate.min: input should be a valid number"),
        ({"rate": {"min": 0}}, "greater than 0"),
        ({"required": "yes"}, "valid boolean"),
        ({"name": "odom"}, "'odom' is listed twice"),
        ({"content": "camera_info", "encodings": None}, "names its image"),
        ({"refuses": {"goal": {}, "code": "UNKNOWN"}}, "only an action refuses goals"),
        ({"one_of": "pictures"}, "either required or one_of"),
    ],
)
def test_a_wrong_contract_is_answered_with_the_place(
    tmp_path: Path, fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(ContractError) as caught:
        load(changed(tmp_path, **fields))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "the file"), ("a: [", "no YAML"), ("- 1", "the file"), ("name: x", "field required")],
)
def test_a_file_that_is_no_contract(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "contract.yaml"
    path.write_text(text)
    with pytest.raises(ContractError, match=words):
        load(path)
    with pytest.raises(ContractError, match="can't be read"):
        load(tmp_path / "missing.yaml")


def test_unknown_error_codes_are_refused() -> None:
    fields = {"name": "pick", "kind": "action", "type": "milo_msgs/action/Pick", "description": ""}
    with pytest.raises(ValueError, match="'BAD' is no error code"):
        Interface.model_validate({**fields, "refuses": {"goal": {}, "code": "BAD"}})


# -- rules -----------------------------------------------------------------------------------


def test_nothing_there_fails_what_is_required_only() -> None:
    broken = failed(judge(CONTRACT, {}))
    required = {i.name for i in CONTRACT.interfaces if i.required}
    # Of the two sources of object facts one would do; tf is also missing as a tree.
    assert {f.interface for f in broken} == required | {"object_states"}
    listening = {f.interface for f in failed(judge(CONTRACT, {}, read_only=True))}
    assert "pick" not in listening
    assert "odom" in listening


@pytest.mark.parametrize(
    ("asked", "offered", "passes"),
    [
        (("reliable", "volatile"), ("reliable", "volatile"), True),
        (("reliable", "volatile"), ("best_effort", "volatile"), False),
        (("best_effort", "volatile"), ("reliable", "transient_local"), True),
        (("reliable", "transient_local"), ("reliable", "volatile"), False),
        (("best_effort", "volatile"), ("best_effort", "volatile"), True),
    ],
)
def test_qos_follows_dds(asked: Any, offered: Any, passes: bool) -> None:
    ends = [Endpoint("/robot", "t", "reliable", "transient_local"), Endpoint("/r", "t", *offered)]
    finding = judge_qos("x", Qos(reliability=asked[0], durability=asked[1]), ends)
    assert (finding.status is Status.PASSED) == passes


@pytest.mark.parametrize(
    ("times", "duration", "passes"),
    [
        ([0.1, 1.1, 2.1], 3.0, True),
        ([0.1, 2.6], 3.0, False),
        ([0.1], 3.0, False),
        ([0.1], 0.5, True),
        ([0.1, 0.2, 0.3], 10.0, False),  # came and stopped
        ([2.0, 2.1, 2.2, 2.3], 2.4, True),  # met late
    ],
)
def test_rates(times: list[float], duration: float, passes: bool) -> None:
    seen = Observed(samples=[sample(now=t) for t in times], duration=duration)
    assert (judge_rate("x", Rate(min=1.0), seen).status is Status.PASSED) == passes


@pytest.mark.parametrize(
    ("stamps", "now", "words"),
    [
        ([10.0, 10.0, 10.5], 10.6, ""),
        ([0.0, 0.0], 10.0, "are 0"),
        ([0.0, 0.0], 0.0, ""),  # simulated time has not begun
        ([10.0, 9.5], 10.0, "go back by 0.500 s"),
        ([8.0], 10.0, "2.00 s old"),
        ([12.5], 10.0, "2.50 s in the future"),
        ([12.5], math.nan, ""),  # the clock has not ticked yet
    ],
)
def test_stamps(stamps: list[float], now: float, words: str) -> None:
    finding = judge_stamps(COLOR, [sample(stamp, now) for stamp in stamps])
    assert words in finding.detail
    assert (finding.status is Status.FAILED) == bool(words)


def test_frames_of_messages() -> None:
    odom = BY_NAME["odom"]
    good = sample(frame="odom", child_frame="base_link")
    assert judge_frame(odom, [good]).status is Status.PASSED
    assert "'map'" in judge_frame(odom, [good, replace(good, frame="map")]).detail
    assert "'base'" in judge_frame(odom, [replace(good, child_frame="base")]).detail


@pytest.mark.parametrize(
    ("interface", "facts", "words"),
    [
        (COLOR, ImageFacts(4, 2, "rgb8", 12, 24), ""),
        (COLOR, ImageFacts(4, 2, "rgb8", 16, 32), ""),  # padded rows
        (COLOR, ImageFacts(4, 2, "mono8", 4, 8), "must be rgb8 or bgr8"),
        (COLOR, ImageFacts(4, 2, "rgb8", 12, 20), "holds 20 bytes"),
        (COLOR, ImageFacts(4, 2, "rgb8", 8, 16), "step must be at least 12"),
        (DEPTH, ImageFacts(4, 2, "32FC1", 16, 32, 2.5), ""),
        (DEPTH, ImageFacts(4, 2, "16UC1", 8, 16, 2500.0), ""),
        (DEPTH, ImageFacts(4, 2, "32FC1", 16, 32, 2500.0), "millimetres are 16UC1"),
    ],
)
def test_images(interface: Interface, facts: ImageFacts, words: str) -> None:
    finding = judge_content(interface, [sample(payload=facts)])
    assert words in finding.detail
    assert (finding.status is Status.FAILED) == bool(words)


@pytest.mark.parametrize(
    ("objects", "words"),
    [
        ([("a", "Mug", 1), ("b", "Mug", 0)], ""),
        ([("a", "Mug", 1), ("a", "Bowl", 1)], "twice or empty"),
        ([("", "Mug", 1)], "twice or empty"),
        ([("a", "Teapot", 1)], "'Teapot', which no planner knows"),
        ([("a", "Mug", 2)], "is simulator truth"),
    ],
)
def test_object_states(objects: list[tuple[str, str, int]], words: str) -> None:
    payload = tuple(ObjectFacts(*obj) for obj in objects)
    finding = judge_content(BY_NAME["object_states"], [sample(payload=payload)])
    assert words in finding.detail
    assert (finding.status is Status.FAILED) == bool(words)


# -- camera and frames -----------------------------------------------------------------------


def model(width: int = 4, height: int = 2, f: float = 3.0, **fields: Any) -> CameraFacts:
    k = (f, 0.0, width / 2, 0.0, f, height / 2, 0.0, 0.0, 1.0)
    p = (f, 0.0, width / 2, 0.0, 0.0, f, height / 2, 0.0, 0.0, 0.0, 1.0, 0.0)
    identity = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    return replace(CameraFacts(width, height, k, identity, p), **fields)


@pytest.mark.parametrize(
    ("facts", "fields", "words"),
    [
        (model(), {}, ""),
        (model(8, 4), {}, "describes 8x4 pixels, the image has 4x2"),
        (model(), {"frame": "camera_link"}, "they must be the same"),
        (model(), {"stamp": 9.0}, "stamp both alike"),
        (model(f=0.0), {}, "not calibrated"),
        (replace(model(), p=(0.0,) * 12), {}, "P of info does not belong to its K"),
        (replace(model(8, 4), width=2), {}, "principal point"),
    ],
)
def test_the_camera_model_belongs_to_the_image(facts: Any, fields: Any, words: str) -> None:
    picture = sample(frame=OPTICAL, payload=ImageFacts(4, 2, "rgb8", 12, 24))
    info = replace(sample(frame=OPTICAL, payload=facts), **fields)
    finding = judge_camera("info", [info], Observed(samples=[picture] * 3))
    assert words in finding.detail or not words
    assert (finding.status is Status.FAILED) == bool(words)


def test_one_picture_without_its_camera_model_says_nothing() -> None:
    picture = sample(frame=OPTICAL, payload=ImageFacts(4, 2, "rgb8", 12, 24))
    info = replace(sample(frame=OPTICAL, payload=model()), stamp=9.0)
    finding = judge_camera("info", [info], Observed(samples=[picture]))
    assert finding.status is Status.SKIPPED
    assert "too few pictures" in finding.detail


IDENTITY = (0.0, 0.0, 0.0, 1.0)
AXES = (-0.5, 0.5, -0.5, 0.5)
TREE = {
    "odom": Edge("map", "odom", IDENTITY),
    "base_link": Edge("odom", "base_link", (0.0, 0.0, 1.0, 0.0)),
    "camera_link": Edge("base_link", "camera_link", IDENTITY),
    OPTICAL: Edge("camera_link", OPTICAL, AXES),
}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, ""),
        ({"odom": None}, "map and odom are not connected"),
        ({"camera_link": Edge("odom", "camera_link", IDENTITY)}, "base_link and camera_link"),
        ({OPTICAL: Edge("camera_link", OPTICAL, IDENTITY)}, "does not look along the x axis"),
        ({"extra": Edge("map", "base_link", IDENTITY)}, "has two parents"),
        # A frame may lie between, as a colour frame does on many cameras.
        (
            {
                "between": Edge("camera_link", "camera_color_frame", IDENTITY),
                OPTICAL: Edge("camera_color_frame", OPTICAL, AXES),
            },
            "",
        ),
        ({"odom": Edge("base_link", "odom", IDENTITY)}, "not connected"),  # a circle
    ],
)
def test_the_tree_of_frames(changes: dict[str, Edge | None], words: str) -> None:
    edges = [edge for edge in (TREE | changes).values() if edge is not None]
    finding = judge_tree("tf", CONTRACT.frames, edges)
    assert words in finding.detail
    assert (finding.status is Status.FAILED) == bool(words)


def test_rotations_are_unit_quaternions() -> None:
    bad = sample(payload=(Edge("a", "b", (0.0, 0.0, 0.0, 0.0)),))
    assert "no unit quaternion" in judge_content(BY_NAME["tf"], [bad]).detail


# -- refusals --------------------------------------------------------------------------------

GOOD = GoalEnd(True, 6, 202, "There is no such object.")


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (GOOD, ""),
        (GoalEnd(accepted=False), "rejects an impossible goal without a code"),
        (replace(GOOD, answered=False, waited=5.0), "after 5.0 s"),
        (replace(GOOD, error_code=0), "reports success"),
        (replace(GOOD, error_code=9002), "error_code 9002"),
        (replace(GOOD, status=4), "status is 4"),
        (replace(GOOD, error_msg=" "), "without a reason"),
    ],
)
def test_an_impossible_goal_is_refused_with_a_code(end: GoalEnd, words: str) -> None:
    finding = judge_refusal(BY_NAME["pick"], end)
    assert words in finding.detail or not words
    assert (finding.status is Status.FAILED) == bool(words)
    assert finding.check is Check.REFUSAL


def test_every_failure_says_what_to_do_in_one_sentence() -> None:
    for finding in failed(judge(CONTRACT, {})):
        assert finding.detail.endswith(".")
        assert ";" in finding.detail


def test_frames_of_the_contract_are_checked() -> None:
    with pytest.raises(ValueError, match="not in the chain"):
        Frames(chain=("map", "odom"), camera="odom", optical="elsewhere")
    assert math.isnan(ImageFacts(1, 1, "rgb8", 3, 3).typical_depth)
    assert isinstance(CONTRACT, Contract)
