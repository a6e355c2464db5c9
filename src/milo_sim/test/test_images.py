"""Images through the unmodified ai2thor Controller.

Numbers in test names are those of the behaviours that the upstream test-suite asserts in
FloorPlan28 (AI2-THOR ``ai2thor/tests/test_unity.py``, Apache-2.0).
"""

import numpy as np
import pytest

from milo_sim.rendering.gl import RenderingUnavailable, create_context
from milo_sim.session import Session

SCENE = "FloorPlan28"
CLOSE = 1e-3


@pytest.fixture(scope="module", autouse=True)
def drawing():
    try:
        create_context().free()
    except RenderingUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def controller(start_controller):
    return start_controller(SCENE, headless=False)


@pytest.fixture
def plain(controller):
    """The controller after a reset to colour pictures of 300 x 300."""
    reset(controller)
    return controller


def reset(controller, **options):
    flags = ("DepthImage", "InstanceSegmentation", "SemanticSegmentation", "NormalsImage")
    options = {"width": 300, "height": 300, **{f"render{flag}": False for flag in flags}, **options}
    return controller.reset(SCENE, **options)


def add_camera(controller, x=-2.75, y=1.576, z=-1.75, yaw=90.0, **options):
    return controller.step(
        action="AddThirdPartyCamera",
        position={"x": x, "y": y, "z": z},
        rotation={"x": 0.0, "y": yaw, "z": 0.0},
        **options,
    )


def camera(event, number=0):
    return event.metadata["thirdPartyCameras"][number]


def test_03_a_third_party_camera_sends_one_of_each(plain):
    reset(
        plain,
        renderDepthImage=True,
        renderInstanceSegmentation=True,
        renderSemanticSegmentation=True,
        renderNormalsImage=True,
    )
    event = add_camera(plain)
    for images in (
        event.third_party_camera_frames,
        event.third_party_depth_frames,
        event.third_party_instance_segmentation_frames,
        event.third_party_semantic_segmentation_frames,
        event.third_party_normals_frames,
        event.third_party_instance_masks,
    ):
        assert len(images) == 1
    assert event.third_party_camera_frames[0].shape == (300, 300, 3)
    assert event.third_party_depth_frames[0].shape == (300, 300)
    assert (event.third_party_camera_frames[0] != event.frame).any()


def test_04_05_reset_sets_the_resolution(plain):
    assert reset(plain, width=600, height=300).frame.shape == (300, 600, 3)
    assert reset(plain, width=128, height=64).frame.shape == (64, 128, 3)


def test_07_08_old_names(plain):
    event = plain.step("Pass", renderObjectImage=True, renderClassImage=True)
    assert event.instance_segmentation_frame.shape == (300, 300, 3)
    with pytest.warns(DeprecationWarning, match="semantic_segmentation_frame"):
        assert event.class_segmentation_frame is event.semantic_segmentation_frame
    assert event.semantic_segmentation_frame.shape == (300, 300, 3)


def test_09_depth_image(plain):
    event = reset(plain, width=520, height=310, renderDepthImage=True)
    assert event.frame.shape == (310, 520, 3)
    assert event.depth_frame.shape == (310, 520)
    assert event.depth_frame.dtype == np.float32


def test_10_no_depth_image(plain):
    event = plain.last_event
    assert event.depth_frame is None
    assert event.normals_frame is None
    assert event.instance_masks == {}
    assert event.metadata["colors"] is None
    assert event.frame.shape == (300, 300, 3)
    assert event.frame.dtype == np.uint8


def test_36_no_third_party_cameras_at_start(plain):
    add_camera(plain)
    assert reset(plain).metadata["thirdPartyCameras"] == []


def test_37_add_a_third_party_camera(plain):
    event = add_camera(plain, x=1.2, y=2.3, z=3.4, yaw=30.0, fieldOfView=45)
    assert len(event.metadata["thirdPartyCameras"]) == 1
    seen = camera(event)
    assert seen["position"] == pytest.approx({"x": 1.2, "y": 2.3, "z": 3.4}, abs=CLOSE)
    assert seen["rotation"] == pytest.approx({"x": 0.0, "y": 30.0, "z": 0.0}, abs=CLOSE)
    assert seen["fieldOfView"] == 45
    assert seen["thirdPartyCameraId"] == 0


def test_38_a_number_is_no_position(plain):
    with pytest.raises(ValueError, match="position"):
        plain.step(action="AddThirdPartyCamera", position=5, rotation={"x": 0, "y": 0, "z": 0})
    assert not plain.last_event
    assert plain.last_event.metadata["thirdPartyCameras"] == []


def test_39_a_structure_is_no_size(plain):
    begin = "action: AddThirdPartyCamera has an invalid argument: orthographicSize"
    with pytest.raises(ValueError, match=begin):
        add_camera(plain, orthographic=True, orthographicSize={"x": 1})


def test_40_a_third_party_camera_sees_what_the_agent_sees(plain):
    reset(plain, renderDepthImage=True)
    add_camera(plain)
    event = plain.step(
        action="TeleportFull",
        position={"x": -2.75, "y": 0.901, "z": -1.75},
        rotation=90,
        horizon=0,
        standing=True,
        forceAction=True,
        raise_for_failure=True,
    )
    difference = event.depth_frame - event.third_party_depth_frames[0]
    assert np.square(difference).mean() < 1e-4
    assert np.abs(event.frame.astype(int) - event.third_party_camera_frames[0]).mean() < 1.0


def test_41_42_update_a_third_party_camera(plain):
    add_camera(plain, fieldOfView=45)
    event = plain.step(
        action="UpdateThirdPartyCamera",
        thirdPartyCameraId=0,
        position={"x": 1, "y": 2, "z": 3},
        rotation={"x": 10, "y": 20, "z": 30},
    )
    assert camera(event)["position"] == {"x": 1, "y": 2, "z": 3}
    assert camera(event)["rotation"] == pytest.approx({"x": 10, "y": 20, "z": 30}, abs=CLOSE)
    assert camera(event)["fieldOfView"] == 45
    event = plain.step(
        action="UpdateThirdPartyCamera",
        position={"x": 7, "z": 9},
        rotation={"y": 80},
        fieldOfView=55,
    )
    assert camera(event)["position"] == {"x": 7, "y": 2, "z": 9}
    assert camera(event)["rotation"] == pytest.approx({"x": 10, "y": 80, "z": 30}, abs=CLOSE)
    assert camera(event)["fieldOfView"] == 55


@pytest.mark.parametrize("angle", [-1, 181, 0])
def test_43_a_wrong_field_of_view_changes_nothing(plain, angle):
    before = camera(add_camera(plain))
    event = plain.step(
        action="UpdateThirdPartyCamera", position={"x": 9}, rotation={"y": 9}, fieldOfView=angle
    )
    assert not event
    assert "fieldOfView" in event.metadata["errorMessage"]
    assert camera(event) == before
    assert not add_camera(plain, fieldOfView=angle)
    assert len(plain.last_event.metadata["thirdPartyCameras"]) == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"thirdPartyCameraId": 3}, "thirdPartyCameraId: 3"),
        ({"orthographicSize": 2.0}, "can only be set when orthographic=True"),
        ({"skyboxColor": "no colour"}, "Invalid skyboxColor: no colour"),
        ({"nearClippingPlane": 5.0, "farClippingPlane": 1.0}, "0 < near < far"),
    ],
)
def test_senseless_camera_options_are_refused(plain, options, message):
    add_camera(plain)
    event = plain.step(action="UpdateThirdPartyCamera", **options)
    assert not event
    assert message in event.metadata["errorMessage"]


def test_a_camera_outside_shows_its_sky(plain):
    event = add_camera(plain, x=50.0, z=50.0, skyboxColor="#102030")
    assert (event.third_party_camera_frames[0] == [0x10, 0x20, 0x30]).all()


def test_68_one_step_switches_segmentation_on(plain):
    assert plain.last_event.instance_segmentation_frame is None
    event = plain.step("Pass", renderInstanceSegmentation=True)
    assert event.instance_segmentation_frame.shape == (300, 300, 3)
    assert event.instance_masks
    # As in the engine it stays on until the next Initialize.
    assert plain.step("Pass").instance_segmentation_frame is not None
    assert reset(plain).instance_segmentation_frame is None


def test_69_to_72_resolution_changes(plain):
    wanted = {
        "renderDepthImage": True,
        "renderInstanceSegmentation": True,
        "renderSemanticSegmentation": True,
    }
    first = reset(plain, **wanted)
    colors = dict(first.color_to_object_id)
    other = plain.step(action="ChangeResolution", x=500, y=500, raise_for_failure=True)
    assert other.depth_frame.shape == (500, 500)
    assert other.instance_segmentation_frame.shape == (500, 500, 3)
    assert other.semantic_segmentation_frame.shape == (500, 500, 3)
    assert other.color_to_object_id == colors
    again = plain.step(action="ChangeResolution", x=300, y=300, raise_for_failure=True)
    assert np.abs(again.depth_frame - first.depth_frame).max() < CLOSE
    assert (again.instance_segmentation_frame == first.instance_segmentation_frame).all()
    assert (again.semantic_segmentation_frame == first.semantic_segmentation_frame).all()
    assert again.color_to_object_id == colors
    assert again.object_id_to_color == first.object_id_to_color
    last = plain.step(action="ChangeResolution", x=400, y=400, raise_for_failure=True)
    assert last.frame.shape == (400, 400, 3)
    assert (last.screen_width, last.screen_height) == (400, 400)


@pytest.mark.parametrize("flag", ["renderSemanticSegmentation", "renderInstanceSegmentation"])
def test_73_types_have_colours(plain, flag):
    event = reset(plain, **{flag: True})
    assert event.color_to_object_id[event.object_id_to_color["Fridge"]] == "Fridge"


def test_masks_name_objects_of_the_metadata(plain):
    event = reset(plain, renderInstanceSegmentation=True, renderSemanticSegmentation=True)
    types = {entry["objectId"]: entry["objectType"] for entry in event.metadata["objects"]}
    assert len(event.instance_masks) > 3
    assert set(event.instance_masks) <= set(types)
    for object_id, mask in event.instance_masks.items():
        box = event.instance_detections2D[object_id]
        rows, columns = np.nonzero(mask)
        assert box == (columns.min(), rows.min(), columns.max(), rows.max())
        color = event.object_id_to_color[types[object_id]]
        assert (event.semantic_segmentation_frame[mask] == color).all()
    assert (sum(m.astype(int) for m in event.instance_masks.values()) <= 1).all()
    # The client takes an instance's class from the first part of its id.
    assert set(event.class_masks) >= {key.split("|")[0] for key in event.instance_masks}


def test_pictures_stand_upright(plain):
    event = reset(plain, renderDepthImage=True, renderSemanticSegmentation=True)
    ceiling, floor = (np.nonzero(event.class_masks[name])[0] for name in ("Ceiling", "Floor"))
    assert ceiling.max() < 150 < floor.min()


def test_106_107_112_materials_follow_the_seed(plain):
    first = plain.last_event.frame.astype(int)
    frames = []
    for seed in (41, 42, 41):
        reset(plain)
        plain.step(action="SetRandomSeed", seed=seed)
        frames.append(plain.step(action="RandomizeMaterials").frame.astype(int))
    for one, other in ((frames[0], frames[1]), (frames[0], first), (frames[1], first)):
        assert np.abs(one - other).mean() > 2
    assert (frames[0] == frames[2]).all()
    assert np.abs(frames[1] - first).sum() / first.sum() > 0.05
    assert (plain.step(action="ResetMaterials").frame == first).all()
    plain.step(action="RandomizeMaterials")
    assert (reset(plain).frame == first).all()


def test_colours_change_and_come_back(plain):
    first = plain.last_event.frame.astype(int)
    changed = plain.step(action="RandomizeColors").frame.astype(int)
    assert np.abs(changed - first).mean() > 2
    assert (plain.step(action="ResetColors").frame == first).all()


@pytest.mark.parametrize("synchronized", [True, False])
def test_lights_change_and_come_back(plain, synchronized):
    first = plain.last_event.frame.astype(int)
    dim = plain.step(
        action="RandomizeLighting",
        synchronized=synchronized,
        brightness=[0.3, 0.4],
        randomizeColor=False,
        raise_for_failure=True,
    ).frame.astype(int)
    assert dim.mean() < 0.7 * first.mean()
    # A light without colour leaves the shade of a grey wall nearly as it was.
    assert (
        np.abs(dim.mean(axis=(0, 1)) / first.mean(axis=(0, 1)) - dim.mean() / first.mean()).max()
        < 0.05
    )
    colored = plain.step(
        action="RandomizeLighting", synchronized=synchronized, saturation=[1, 1]
    ).frame
    assert np.ptp(colored.mean(axis=(0, 1)) / first.mean(axis=(0, 1))) > 0.1
    assert (plain.step(action="ResetLighting").frame == first).all()


def test_optical_flow_is_refused(plain):
    with pytest.raises(ValueError, match="renderFlowImage is not supported"):
        plain.step("Pass", renderFlowImage=True)


def test_a_headless_controller_gets_no_images(start_controller):
    event = start_controller(SCENE, headless=True, renderDepthImage=True).last_event
    assert event.frame is None
    assert event.depth_frame is None
    assert event.instance_masks == {}


def test_a_machine_that_cannot_draw_says_what_to_install(start_controller, monkeypatch):
    monkeypatch.setenv("MUJOCO_GL", "egl")
    monkeypatch.setenv("MUJOCO_EGL_DEVICE_ID", "99")
    with pytest.raises(ValueError, match=r"install the packages libegl1 .* headless=True"):
        start_controller(SCENE, headless=False)
    assert start_controller(SCENE, headless=True).step("Pass")


def test_rendering_is_not_imported_before_images_are_wanted(monkeypatch):
    import sys

    from milo_sim.actions import make_dispatcher

    monkeypatch.delitem(sys.modules, "milo_sim.rendering.renderer", raising=False)
    session = Session(make_dispatcher())
    outcome = session.step({"action": "Initialize", "renderImage": False})
    assert session.images(outcome) == ([], outcome)
    assert "milo_sim.rendering.renderer" not in sys.modules
