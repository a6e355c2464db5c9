"""The page on milo_sim: its code runs as it stands."""

import json
import re
from pathlib import Path

import pytest

from milo_sim.rendering.gl import RenderingUnavailable
from milo_sim.rendering.renderer import Renderer
from milo_sim.scene import load_scene
from milo_sim.world import World

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "milo_sim.md").read_text()


def block(language, word):
    """The page's code block in a language that holds a word."""
    blocks = re.findall(rf"```{language}\n(.*?)```", PAGE, re.S)
    (found,) = (text for text in blocks if word in text)
    return found


def run(code):
    """Run code and stop the Controller that it starts."""
    names = {}
    try:
        exec(compile(code, "docs/milo_sim.md", "exec"), names)
    finally:
        if "controller" in names:
            names["controller"].stop()
    return names


def test_the_five_lines():
    try:
        Renderer(World(load_scene("FloorPlan1"))).close()
    except RenderingUnavailable as error:
        pytest.skip(str(error))
    event = run(block("python", "renderDepthImage"))["event"]
    assert event
    assert event.frame.shape == (300, 300, 3)
    assert event.depth_frame.shape == (300, 300)
    assert event.instance_masks


def test_own_scene(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my_kitchen.json").write_text(block("json", "CounterTop"))
    controller = run(block("python", "my_kitchen.json"))["controller"]
    metadata = controller.last_event.metadata
    assert metadata["sceneName"] == "my_kitchen.json"
    mug = controller.last_event.objects_by_type("Mug")[0]
    counter = controller.last_event.objects_by_type("CounterTop")[0]
    assert mug["parentReceptacles"] == [counter["objectId"]]
    assert len(metadata["objects"]) == len(json.loads(block("json", "CounterTop"))["objects"])


def test_gymnasium():
    pytest.importorskip("gymnasium")
    names = run(block("python", "ThorEnv"))
    assert set(names["observation"]) == {"agent", "standing", "held", "visible"}
    assert names["info"]["action"] == "MoveAhead"
    assert len(names["ACTIONS"]) == 18
