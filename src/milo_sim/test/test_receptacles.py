import numpy as np
import pytest

from milo_sim.receptacles import CARTON_BODY, trigger_boxes
from milo_sim.scene import load_scene, scene_names

SINK = "Sink|-01.90|+00.97|-01.50|SinkBasin"
BIN = "GarbageCan|-01.94|00.00|+02.03"


@pytest.fixture(scope="module")
def kitchen():
    return trigger_boxes(load_scene("FloorPlan1"))


def test_every_receptacle_has_a_box():
    for name in scene_names():
        scene = load_scene(name)
        boxes = trigger_boxes(scene)
        assert set(boxes) == {o.object_id for o in scene.objects if o.has("receptacle")}
        for box in boxes.values():
            assert np.isfinite(box.box.center).all()
            assert (box.box.half >= 0).all()


def test_grid_order(kitchen):
    """From the (+x, +z) corner of the receptacle's frame, along -z, then along -x."""
    box = kitchen[BIN]
    local = box.box.to_local(box.grid())
    assert local.shape == (81, 3)
    assert local[0] == pytest.approx(box.box.half * [1, -1, 1])
    assert local[8] == pytest.approx(box.box.half * [1, -1, -1])
    assert local[9] == pytest.approx(box.box.half * [0.75, -1, 1])
    assert local[80] == pytest.approx(box.box.half * [-1, -1, -1])
    assert np.allclose(box.grid()[:, 1], box.bottom)


def test_recovered_grids(kitchen):
    """Side lengths and centre follow from the lattice, also beyond the object's own box."""
    assert 2 * kitchen[SINK].box.half[0] == pytest.approx(8 * 0.0864)
    assert 2 * kitchen[SINK].box.half[2] == pytest.approx(8 * 0.0553)
    assert 2 * kitchen[BIN].box.half[[0, 2]] == pytest.approx([8 * 0.0479, 8 * 0.0273])


def test_twin_in_another_scene_has_the_same_grid(kitchen):
    other = trigger_boxes(load_scene("FloorPlan401"))["GarbageCan|+00.05|00.00|+03.88"]
    assert other.box.half[[0, 2]] == pytest.approx(kitchen[BIN].box.half[[0, 2]], abs=1e-4)


def test_floor_heights(kitchen):
    assert kitchen[BIN].bottom == pytest.approx(0.0357, abs=0.005)  # recorded placements
    assert kitchen[SINK].bottom == pytest.approx(0.7598, abs=0.005)


def test_walls():
    boxes = trigger_boxes(load_scene("FloorPlan1"))
    by_type = {key.split("|")[0]: box.walled for key, box in boxes.items()}
    assert all(by_type[name] for name in ("Drawer", "GarbageCan", "Bowl"))
    assert not any(by_type[name] for name in ("CounterTop", "Plate", "Shelf"))


def test_carton_body_is_smaller_than_its_flaps():
    scene = load_scene("FloorPlan203")
    carton = next(o for o in scene.objects if o.object_type == "Box")
    box = trigger_boxes(scene)[carton.object_id].box
    sides = np.linalg.norm(carton.oobb[[0, 0]] - carton.oobb[[1, 3]], axis=1)
    assert 2 * box.half[[0, 2]] == pytest.approx(sides * CARTON_BODY, abs=1e-3)


def test_floor_box_holds_what_the_floor_holds():
    for name in scene_names():
        scene = load_scene(name)
        by_id = {o.object_id: o for o in scene.objects}
        floor = next(o for o in scene.objects if o.object_type == "Floor")
        box = trigger_boxes(scene)[floor.object_id].box
        for content in floor.receptacle_object_ids:
            thing = by_id[content]
            assert thing.aabb_center[1] - thing.aabb_size[1] / 2 < box.center[1] + box.half[1]
