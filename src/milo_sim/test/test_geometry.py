import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from milo_sim.geometry import (
    Box,
    boxes_overlap,
    euler_to_matrix,
    footprint_in_yaw_frame,
    matrix_to_euler,
    segments_hit_boxes,
    stack,
    wrap_degrees,
    yaw_matrix,
)

angles = st.floats(-720, 720)
small = st.floats(-1, 1)
sizes = st.floats(0.05, 1)


@st.composite
def boxes(draw):
    center = np.array([draw(small), draw(small), draw(small)])
    axes = euler_to_matrix((draw(angles), draw(angles), draw(angles)))
    return Box(center, axes, np.array([draw(sizes), draw(sizes), draw(sizes)]))


def test_yaw_turns_forward_to_the_right():
    assert np.allclose(yaw_matrix(90.0) @ [0, 0, 1], [1, 0, 0])
    assert np.allclose(euler_to_matrix((90.0, 0.0, 0.0)) @ [0, 0, 1], [0, -1, 0])
    assert np.allclose(euler_to_matrix((0.0, 0.0, 90.0)) @ [1, 0, 0], [0, 1, 0])


@given(angles, angles, angles)
def test_euler_round_trip(x, y, z):
    matrix = euler_to_matrix((x, y, z))
    back = matrix_to_euler(matrix)
    assert np.allclose(euler_to_matrix(back), matrix, atol=1e-6)
    assert all(0.0 <= a < 360.0 for a in back)


@given(angles)
def test_gimbal_lock_is_reported_without_roll(yaw):
    back = matrix_to_euler(euler_to_matrix((90.0, yaw, 0.0)))
    assert back[0] == pytest.approx(90.0, abs=1e-3)
    assert back[2] == 0.0


@pytest.mark.parametrize(("angle", "wrapped"), [(-90, 270), (360, 0), (720.5, 0.5), (-1e-9, 0)])
def test_wrap_degrees(angle, wrapped):
    assert wrap_degrees(angle) == pytest.approx(wrapped)


@given(boxes())
def test_corners_round_trip(box):
    again = Box.from_corners(box.corners())
    assert np.allclose(again.center, box.center)
    assert np.allclose(again.half, box.half)
    assert np.allclose(again.axes, box.axes)
    assert np.allclose(np.abs(box.corners() - box.center).max(axis=0), box.extent())


def test_corner_order_of_the_metadata():
    corners = Box.axis_aligned((0, 0, 0), (2, 2, 2)).corners()
    assert corners[:4].tolist() == [[1, -1, 1], [-1, -1, 1], [-1, -1, -1], [1, -1, -1]]
    assert (corners[4:, 1] == 1).all()


@settings(max_examples=60)
@given(boxes(), boxes())
def test_overlap_agrees_with_points(one, other):
    """A point inside both boxes proves overlap; a separated copy proves none."""
    steps = np.linspace(-0.98, 0.98, 9)
    grid = np.stack(np.meshgrid(steps, steps, steps), axis=-1).reshape(-1, 3)
    points = one.center + (grid * one.half) @ one.axes.T
    shared = bool(np.all(np.abs(other.to_local(points)) < other.half, axis=1).any())
    overlap = bool(boxes_overlap(one, stack([other]))[0])
    assert overlap or not shared
    assert boxes_overlap(other, stack([one]))[0] == overlap
    away = other.moved([one.extent()[0] + other.extent()[0] + 5, 0, 0])
    assert not boxes_overlap(one, stack([away]))[0]


def test_edge_to_edge_boxes_are_separated_by_an_edge_axis():
    """The face normals of these two do not separate them, a product of edges does."""
    one = Box(np.zeros(3), euler_to_matrix((0, 0, 45)), np.array([1.0, 1.0, 1.0]))
    other_axes = euler_to_matrix((45, 0, 0))
    gap = 2 * math.sqrt(2)
    near = Box(np.array([0.0, gap - 0.02, 0.0]), other_axes, np.array([1.0, 1.0, 1.0]))
    far = Box(np.array([0.0, gap + 0.02, 0.0]), other_axes, np.array([1.0, 1.0, 1.0]))
    assert boxes_overlap(one, stack([near, far])).tolist() == [True, False]


def test_rounded_corners_do_not_separate():
    """Corners rounded to 1e-5 m give axes that are a little off; overlap must not suffer."""
    small = Box(np.array([2.0, 0.09, 2.3]), yaw_matrix(90.004), np.array([0.05, 0.055, 0.05]))
    large = Box.axis_aligned((0, 0.03, 0), (5, 0.06, 5))
    rounded = Box.from_corners(np.round(small.corners(), 5))
    assert np.allclose(rounded.axes.T @ rounded.axes, np.eye(3), atol=1e-12)
    assert boxes_overlap(rounded, stack([large]))[0]
    assert boxes_overlap(large, stack([rounded]))[0]


def test_touching_is_not_overlapping():
    one = Box.axis_aligned((0, 0, 0), (1, 1, 1))
    assert not boxes_overlap(one, stack([Box.axis_aligned((1 + 1e-6, 0, 0), (1, 1, 1))]))[0]
    assert boxes_overlap(one, stack([])).tolist() == []


@given(boxes(), st.tuples(small, small, small), st.tuples(small, small, small))
def test_segment_enters_on_the_surface(box, first, last):
    start, end = 3 * np.array(first), 3 * np.array(last)
    entry = segments_hit_boxes(start[None], end[None], stack([box]))[0, 0]
    if np.isinf(entry):
        inside = np.abs(box.to_local((start + end) / 2)) < box.half
        assert not inside.all()
    elif entry > 0:
        hit = np.abs(box.to_local(start + (end - start) * entry)) / box.half
        assert hit.max() == pytest.approx(1.0, abs=1e-5)
    else:
        assert (np.abs(box.to_local(start)) <= box.half + 1e-9).all()


def test_segment_along_an_axis():
    box = stack([Box.axis_aligned((0, 0, 2), (1, 1, 1))])
    starts = np.array([[0.0, 0, 0], [0.0, 0, 0], [0.6, 0, 0]])
    ends = np.array([[0.0, 0, 4], [0.0, 0, 1], [0.6, 0, 4]])
    assert segments_hit_boxes(starts, ends, box)[:, 0].tolist() == [0.375, math.inf, math.inf]


@pytest.mark.parametrize("yaw", [0.0, 20.0, 90.0, 160.0, 300.0])
def test_footprint_in_yaw_frame(yaw):
    box = Box(np.zeros(3), yaw_matrix(yaw), np.array([0.3, 0.1, 0.1]))
    size = tuple(2 * box.extent())
    assert footprint_in_yaw_frame(size, yaw) == pytest.approx((0.6, 0.2))


def test_footprint_near_45_degrees_is_square():
    x, z = footprint_in_yaw_frame((1.0, 1.0, 1.0), 45.0)
    assert x == z == pytest.approx(1 / math.sqrt(2))
