import gzip
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from milo_sim.errors import UnknownSceneError
from milo_sim.scene import base_name, load_scene, scene_data_digest, scene_names

REPOSITORY = Path(__file__).resolve().parents[3]
NUMBERS = [*range(1, 31), *range(201, 231), *range(301, 331), *range(401, 431)]


def test_all_scenes_in_order():
    assert list(scene_names()) == [f"FloorPlan{n}" for n in NUMBERS]


def test_names_with_and_without_suffix():
    scene = load_scene("FloorPlan28_physics")
    assert scene is load_scene("FloorPlan28_physics")
    assert scene.name == "FloorPlan28"
    assert scene.scene_name == "FloorPlan28_physics"
    assert base_name("FloorPlan28") == base_name("FloorPlan28_physics") == "FloorPlan28"


@pytest.mark.parametrize("name", ["FloorPlan31", "floorplan1", "FloorPlan1_", "", "../FloorPlan1"])
def test_unknown_scene(name):
    with pytest.raises(UnknownSceneError, match="not among the packaged scenes"):
        load_scene(name)


def test_inventory_of_all_scenes():
    scenes = [load_scene(name) for name in scene_names()]
    objects = [obj for scene in scenes for obj in scene.objects]
    assert len(objects) == 5672
    assert sum(obj.oobb is not None for obj in objects) == 2803
    assert sum(obj.has("receptacle") for obj in objects) == 2972
    assert sum(scene.start_yaw_assumed for scene in scenes) == 36
    assert sum(scene.inferred_cells for scene in scenes) == 100
    assert {scene.room_type for scene in scenes} == {"Kitchen", "LivingRoom", "Bedroom", "Bathroom"}


def test_containment_is_consistent_in_all_scenes():
    for name in scene_names():
        by_id = {obj.object_id: obj for obj in load_scene(name).objects}
        for obj in by_id.values():
            for parent in obj.parent_receptacles or ():
                assert obj.object_id in by_id[parent].receptacle_object_ids
            for content in obj.receptacle_object_ids or ():
                assert obj.object_id in by_id[content].parent_receptacles


def test_known_facts_of_one_scene():
    scene = load_scene("FloorPlan301")
    assert scene.start_position == (2.25, 0.9104, 1.0)
    assert (scene.start_yaw, scene.start_yaw_assumed) == (270.0, False)
    assert scene.bounds_size == (5.1, 2.9, 4.0)
    assert not scene.bounds_assumed
    clock = next(obj for obj in scene.objects if obj.object_type == "AlarmClock")
    assert clock.object_id == "AlarmClock|-01.28|+01.24|-00.47"
    assert clock.oobb.shape == (8, 3)
    assert clock.mass == pytest.approx(0.8)
    assert clock.salient_materials == ("Metal", "Plastic", "Glass")


def test_start_is_free_and_cells_lie_on_the_grid():
    for name in scene_names():
        scene = load_scene(name)
        assert np.array_equal(np.round(scene.reachable / 0.25) * 0.25, scene.reachable)
        assert len(np.unique(scene.reachable, axis=0)) == len(scene.reachable)
        start = np.array(scene.start_position)[[0, 2]]
        assert np.abs(scene.reachable - start).sum(axis=1).min() < 1e-9


def test_data_is_what_the_tool_writes(ithor_data, tmp_path):
    """The packaged files follow from the shared facts (compared unpacked: zlib builds differ)."""
    path = REPOSITORY / "tools" / "build_sim_data.py"
    spec = importlib.util.spec_from_file_location("build_sim_data", path)
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    packaged = tool.OUTPUT
    tool.OUTPUT = tmp_path
    tool.build(ithor_data)
    written = {file.name: gzip.decompress(file.read_bytes()) for file in tmp_path.iterdir()}
    assert len(written) == 120
    assert written == {file.name: gzip.decompress(file.read_bytes()) for file in packaged.iterdir()}


def test_digest_depends_on_the_files(monkeypatch, tmp_path):
    shipped = scene_data_digest()
    assert len(shipped) == 64
    folder = tmp_path / "data" / "scenes"
    folder.mkdir(parents=True)
    (folder / "FloorPlan1.json.gz").write_bytes(b"x")
    monkeypatch.setattr("milo_sim.scene.resources.files", lambda _: tmp_path)
    one = scene_data_digest()
    (folder / "FloorPlan1.json.gz").rename(folder / "FloorPlan2.json.gz")
    assert len({shipped, one, scene_data_digest()}) == 3
