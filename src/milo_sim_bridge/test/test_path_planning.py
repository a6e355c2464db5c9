import pytest

from milo_sim_bridge.path_planning import (
    QUARTER_TURN_COST,
    Destination,
    GridMap,
    turn_between,
    turn_cost,
)

SIZE = 0.25


def grid_of(*rows: str) -> GridMap:
    """A map from rows of text, north (+z) first; a dot is a free cell."""
    height = len(rows)
    return GridMap(
        (
            (column * SIZE, (height - 1 - row) * SIZE)
            for row, text in enumerate(rows)
            for column, mark in enumerate(text)
            if mark == "."
        ),
        SIZE,
    )


@pytest.mark.parametrize(
    ("before", "after", "turn"),
    [(0, 90, 90), (0, 270, -90), (350, 10, 20), (10, 350, -20), (0, 180, 180), (90, 90, 0)],
)
def test_turns_go_the_short_way(before: float, after: float, turn: float) -> None:
    assert turn_between(before, after) == pytest.approx(turn)
    assert turn_cost(before, after) == pytest.approx(abs(turn) / 90 * QUARTER_TURN_COST)


def test_straight_ahead() -> None:
    route = grid_of("....").plan((0, 0), 90.0, [Destination((3, 0), 90.0)])
    assert route is not None
    assert route.nodes == tuple(((x, 0), 90) for x in range(4))
    assert (route.steps_ahead, route.cost) == (3, pytest.approx(0.75))


def test_turns_count() -> None:
    # Two ways of six cells: the one along the edge has one turn, the stairs have five.
    route = grid_of("....", "....", "....", "....").plan((0, 0), 0.0, [Destination((3, 3), 90.0)])
    assert route is not None
    assert route.steps_ahead == 6
    assert route.cost == pytest.approx(6 * SIZE + QUARTER_TURN_COST)


def test_a_way_around_a_wall() -> None:
    grid = grid_of("...", ".#.", ".#.")
    route = grid.plan((0, 0), 0.0, [Destination((2, 0), 180.0)])
    assert route is not None
    assert route.steps_ahead == 6
    assert grid.lengths_from((0, 0))[(2, 0)] == pytest.approx(6 * SIZE)
    assert all(node[0] in grid.cells for node in route.nodes)


def test_the_cheapest_destination_wins_and_a_tie_takes_the_first() -> None:
    grid = grid_of(".....")
    ends = [Destination((0, 0), 90.0), Destination((3, 0), 90.0)]
    assert grid.plan((2, 0), 90.0, ends).destination == 1  # type: ignore[union-attr]
    costly = [ends[0], Destination((3, 0), 90.0, extra_cost=9.0)]
    assert grid.plan((2, 0), 90.0, costly).destination == 0  # type: ignore[union-attr]
    same = [Destination((2, 0), 0.0), Destination((2, 0), 180.0)]
    assert grid.plan((2, 0), 90.0, same).destination == 0  # type: ignore[union-attr]


def test_any_heading_to_start_and_to_end_with() -> None:
    route = grid_of("...").plan((0, 0), 75.0, [Destination((2, 0), 120.0)])
    assert route is not None
    assert route.nodes[0] == ((0, 0), 90)
    assert route.cost == pytest.approx(2 * SIZE + turn_cost(75, 90) + turn_cost(90, 120))


def test_a_blocked_move_is_never_planned_again() -> None:
    grid = grid_of("...", "...")
    straight = grid.plan((0, 0), 90.0, [Destination((2, 0), 90.0)])
    assert straight is not None
    grid.block(((0, 0), 90), ((1, 0), 90))
    around = grid.plan((0, 0), 90.0, [Destination((2, 0), 90.0)])
    assert around is not None
    assert ((1, 0), 90) not in around.nodes[:2]
    assert around.steps_ahead == 4
    grid.block(((0, 0), 0), ((0, 1), 0))
    assert grid.plan((0, 0), 90.0, [Destination((2, 0), 90.0)]) is None
    assert set(grid.lengths_from((0, 0))) == {(0, 0)}
    # The other way it is still open.
    assert grid.plan((2, 0), 90.0, [Destination((0, 0), 270.0)]) is not None


def test_where_no_way_leads() -> None:
    grid = grid_of(".#.")
    assert grid.plan((0, 0), 0.0, [Destination((2, 0), 0.0)]) is None
    assert grid.plan((0, 0), 0.0, []) is None
    assert grid.plan((1, 0), 0.0, [Destination((0, 0), 0.0)]) is None
    assert grid.plan((0, 0), 0.0, [Destination((9, 9), 0.0)]) is None
    assert (2, 0) not in grid.lengths_from((0, 0))
