import array
from typing import Any

import numpy as np
import pytest

from milo_sim_bridge.images import (
    LabelPainter,
    LabelTable,
    Pictures,
    PixelBuffer,
    fill_color,
    fill_depth,
    render_arguments,
)

HEIGHT, WIDTH = 6, 8


def as_received(picture: Any) -> Any:
    """A picture as the client gives it: a view of received bytes, whose first row is the last."""
    rows = np.ascontiguousarray(picture[::-1])
    return np.frombuffer(rows.tobytes(), rows.dtype).reshape(rows.shape)[::-1]


def test_color_is_copied_upright_and_the_buffer_used_again() -> None:
    random = np.random.default_rng(0)
    buffer = PixelBuffer()
    for _ in range(2):
        picture = random.integers(0, 255, (HEIGHT, WIDTH, 3), dtype=np.uint8)
        fill_color(buffer, as_received(picture))
        assert isinstance(buffer.data, array.array)
        assert buffer.data.tobytes() == picture.tobytes()
    kept = buffer.data
    fill_color(buffer, as_received(picture))
    assert buffer.data is kept
    fill_color(buffer, as_received(picture[:3]))
    assert buffer.data.tobytes() == picture[:3].tobytes()


def test_a_color_picture_with_a_fourth_channel_becomes_rgb8() -> None:
    picture = np.arange(HEIGHT * WIDTH * 4, dtype=np.uint8).reshape(HEIGHT, WIDTH, 4)
    buffer = PixelBuffer()
    fill_color(buffer, as_received(picture)[:, :, :3])
    assert buffer.data.tobytes() == picture[:, :, :3].tobytes()


def test_depth_is_metres_and_infinite_where_nothing_is() -> None:
    picture = np.full((HEIGHT, WIDTH), 1.5, np.float32)
    picture[0, 0], picture[5, 7] = 20.0, 19.9
    buffer = PixelBuffer()
    fill_depth(buffer, as_received(picture))
    written = np.frombuffer(buffer.data, np.float32).reshape(HEIGHT, WIDTH)
    assert written[0, 0] == np.inf
    assert written[5, 7] == np.float32(19.9)
    assert (np.delete(written.ravel(), 0)[:-1] == 1.5).all()


def colors_of(names: dict[str, tuple[int, int, int]]) -> list[dict[str, Any]]:
    return [{"name": name, "color": list(color)} for name, color in names.items()]


@pytest.mark.parametrize("channels", [3, 4])
def test_labels(channels: int) -> None:
    names = {"Mug|1": (200, 3, 255), "Wall": (9, 9, 9), "Egg|1": (3, 200, 255)}
    table = LabelTable()
    assert table.learn(["Mug|1", "Plate|1", "Egg|1"])
    picture = np.zeros((HEIGHT, WIDTH, channels), np.uint8)
    picture[:, :, 3:] = 255
    picture[1:3, 2:5, :3] = names["Mug|1"]
    picture[0, :, :3] = names["Wall"]
    picture[5, 7, :3] = names["Egg|1"]
    painter, buffer = LabelPainter(table), PixelBuffer()
    painter.fill(buffer, as_received(picture)[:, :, :3], colors_of(names))
    expected = np.zeros((HEIGHT, WIDTH), np.uint16)
    expected[1:3, 2:5], expected[5, 7] = 1, 3
    written = np.frombuffer(buffer.data, np.uint16).reshape(HEIGHT, WIDTH)
    assert (written == expected).all()


def test_labels_follow_new_colours_and_new_objects() -> None:
    table = LabelTable()
    table.learn(["Mug|1"])
    painter, buffer = LabelPainter(table), PixelBuffer()
    picture = np.full((1, 2, 3), 7, np.uint8)

    def label(names: dict[str, tuple[int, int, int]]) -> int:
        painter.fill(buffer, picture, colors_of(names))
        return int(np.frombuffer(buffer.data, np.uint16)[0])

    assert label({"Mug|1": (7, 7, 7)}) == 1
    assert label({"Mug|1": (8, 8, 8)}) == 0
    assert label({"Egg|1": (7, 7, 7)}) == 0
    assert table.learn(["Mug|1", "Egg|1"])
    assert label({"Egg|1": (7, 7, 7)}) == 2
    assert not table.learn(["Egg|1"])
    table.clear()
    assert label({"Egg|1": (7, 7, 7)}) == 0


def test_only_what_is_wanted_is_asked_for() -> None:
    assert render_arguments(frozenset()) == {"renderImage": False}
    assert render_arguments(frozenset({"color"})) == {"renderImage": True}
    assert render_arguments(frozenset({"depth", "labels"})) == {
        "renderImage": True,
        "renderDepthImage": True,
        "renderInstanceSegmentation": True,
    }
    color = np.zeros((1, 1, 3), np.uint8)
    assert Pictures(color=color).streams == {"color"}
    assert Pictures().streams == frozenset()
