"""The behaviour-tree planner: static plans, decisions, disturbances, records."""

import sys
from pathlib import Path

import pytest

from milo_core.error_codes import PickError, PlaceError
from milo_core.profiles import get_profile
from milo_core.tasks import SubGoal, load_tasks
from milo_planner.agenda import Duty, Verb
from milo_planner.policy import NodeStatus
from milo_planner.reactive_runner import ReactiveRunner
from milo_planner.registry import make_planner
from milo_planner.tree_view import render

# pytest's importlib mode leaves the path alone.
sys.path.insert(0, str(Path(__file__).parent))

from packaged_scenes import packaged
from tree_play import Play, hold, item, put, small_kitchen, take, thing


@pytest.fixture
def kitchen():
    return small_kitchen()


# -- static plans ----------------------------------------------------------------------------


def test_static_plans_are_those_of_the_templates():
    tree, templates = make_planner("behavior_tree"), make_planner("rule_based")
    goals = [goal for task in load_tasks("1.1") for goal in task.sub_goals()]
    assert len(goals) == 63
    worlds = [packaged(f"FloorPlan{number}") for number in (1, 201, 301)]
    for goal in goals:
        for world in worlds:
            assert tree.plan(goal, world).steps == templates.plan(goal, world).steps


def test_a_static_plan_halts_at_the_first_failure(kitchen):
    planner = make_planner("behavior_tree")
    assert planner.tree() is None
    steps = planner.steps(SubGoal("pick_up", "mug"), kitchen)
    ran, during = [], []

    def run_step(index):
        ran.append(index)
        during.append([node.status for node in planner.tree().nodes])
        return index != 1

    planner.drive([*steps, steps[0]], run_step)
    assert ran == [0, 1]
    invalid, running, success, failure = NodeStatus
    assert during[0] == [running, running, invalid, invalid, invalid]
    assert during[1] == [running, success, running, invalid, invalid]
    record = planner.tree()
    assert [node.status for node in record.nodes] == [failure, success, failure, invalid, invalid]
    assert [node.kind for node in record.nodes] == ["sequence", *["action"] * 4]
    assert record.nodes[2].feedback == "the step did not succeed"
    planner.drive(steps, lambda _: True)
    assert {node.status for node in planner.tree().nodes} == {success}
    planner.drive([], run_step)
    assert ran == [0, 1]


# -- decisions -------------------------------------------------------------------------------


FETCHED = [
    "navigate(Fridge|1)",
    "open(Fridge|1)",
    "pickup(Apple|1)",
    "close(Fridge|1)",
    "navigate(Cabinet|1)",
    "open(Cabinet|1)",
    "place(Apple|1, Cabinet|1)",
    "close(Cabinet|1)",
]


def test_a_shut_object_is_fetched_and_its_container_closed_before_the_robot_leaves(kitchen):
    goals = [item(Verb.STORE, "Apple|1", "Cabinet|1")]
    assert Play(kitchen, goals, sight="shelf").finish() == FETCHED
    steps = Play(kitchen, goals, sight="bare").finish()
    assert [step for step in steps if not step.startswith("navigate")] == [
        step for step in FETCHED if not step.startswith("navigate")
    ]
    assert len(steps) == 10


def test_what_runs_is_switched_off_before_it_is_opened_and_closed_before_it_is_switched_on(kitchen):
    goals = [item(Verb.TURN_ON, "Microwave|1"), item(Verb.PICK_UP, "Egg|1", goal=1)]
    play = Play(kitchen, goals, sight="shelf")
    assert play.finish() == [
        "navigate(Microwave|1)",
        "toggle_off(Microwave|1)",
        "open(Microwave|1)",
        "pickup(Egg|1)",
        "close(Microwave|1)",
        "toggle_on(Microwave|1)",
    ]


def test_what_is_true_is_left_alone(kitchen):
    play = Play(kitchen, [item(Verb.STORE, "Mug|1", "CounterTop|1")])
    assert play.finish() == []
    root, *nodes = play.policy.tree().nodes
    assert root.status is NodeStatus.SUCCESS
    assert [node.kind for node in nodes] == ["selector", "condition"]


def test_the_hand_is_freed_first_and_what_it_keeps_comes_last(kitchen):
    hold(kitchen, "Mug|1")
    goals = [
        item(Verb.PICK_UP, "Apple|2"),
        item(Verb.CLOSE, "Fridge|1", goal=1),
        item(Verb.OPEN, "Fridge|1", goal=2),
    ]
    play = Play(kitchen, [goals[0], goals[2]])
    assert play.finish() == [
        "navigate(CounterTop|1)",
        "place(Mug|1, CounterTop|1)",
        "navigate(Fridge|1)",
        "open(Fridge|1)",
        "navigate(Apple|2)",
        "pickup(Apple|2)",
    ]


def test_what_is_in_the_hand_is_stored_before_anything_else_is_fetched(kitchen):
    hold(kitchen, "Mug|1")
    goals = [
        item(Verb.STORE, "Apple|2", "CounterTop|1"),
        item(Verb.STORE, "Mug|1", "DiningTable|1", 1),
    ]
    assert Play(kitchen, goals).finish()[:2] == [
        "navigate(DiningTable|1)",
        "place(Mug|1, DiningTable|1)",
    ]


def test_what_is_to_stay_in_the_hand_is_put_down_for_another_goal_and_taken_again(kitchen):
    hold(kitchen, "Mug|1")
    goals = [
        item(Verb.PICK_UP, "Mug|1"),
        item(Verb.STORE, "Apple|2", "CounterTop|1", 1),
    ]
    steps = Play(kitchen, goals).finish()
    assert steps[:2] == ["navigate(CounterTop|1)", "place(Mug|1, CounterTop|1)"]
    assert steps[-1] == "pickup(Mug|1)"
    refusing = Play(kitchen, goals)
    refusing.memory.no_room |= {("Mug|1", "CounterTop|1"), ("Mug|1", "DiningTable|1")}
    assert refusing.finish()[0] == "put_down(Mug|1)"


def test_an_action_that_undoes_an_earlier_item_moves_its_own_item_before_that(kitchen):
    kitchen.objects["Microwave|1"].is_toggled = True
    goals = [
        item(Verb.TURN_ON, "Microwave|1"),
        item(Verb.STORE, "Mug|1", "Microwave|1", 1),
        item(Verb.CLOSE, "Microwave|1", goal=1),
    ]
    steps = Play(kitchen, goals).finish()
    assert [s for s in steps if "toggle" in s] == [
        "toggle_off(Microwave|1)",
        "toggle_on(Microwave|1)",
    ]
    laptop = thing("Laptop|1", openable=True, is_open=False, toggleable=True, is_toggled=True)
    kitchen.objects["Laptop|1"] = laptop
    goals = [item(Verb.TURN_ON, "Laptop|1"), item(Verb.OPEN, "Laptop|1", goal=1)]
    assert Play(kitchen, goals).finish() == [
        "navigate(Laptop|1)",
        "toggle_off(Laptop|1)",
        "open(Laptop|1)",
        "toggle_on(Laptop|1)",
    ]


def test_goals_that_exclude_each_other_end_with_a_reason(kitchen):
    goals = [item(Verb.PICK_UP, "Mug|1"), item(Verb.PICK_UP, "Apple|2", goal=1)]
    play = Play(kitchen, goals)
    decision = play.run()
    assert decision.culprit in goals
    assert "it would undo 'pick_up" in decision.stuck
    assert len(play.steps) < 12


def test_places_to_stand_at_exclude_each_other_unless_both_are_in_reach(kitchen):
    goals = [item(Verb.NAVIGATE, "Fridge|1"), item(Verb.NAVIGATE, "Sofa|1", goal=1)]
    play = Play(kitchen, goals)
    decision = play.run()
    assert "it would undo 'navigate" in decision.stuck
    assert len(play.steps) <= 3
    kitchen.objects["Sofa|1"].position = kitchen.objects["Fridge|1"].position
    Play(kitchen, goals, sight="room").finish()


def test_a_container_is_not_shut_again_in_front_of_who_is_to_stand_at_its_contents(kitchen):
    goals = [item(Verb.NAVIGATE, "Apple|1")]
    for sight in ("bare", "shelf"):
        play = Play(kitchen, goals, sight=sight)
        decision = play.run()
        assert decision.culprit.duty is Duty.CLOSE
        assert decision.stuck == (
            "'close Fridge|1' can't be brought about: it would undo 'navigate Apple|1'."
        )
        assert goals[0].holds(play.memory.belief(play.live))
    near = Play(kitchen, goals, sight="room")
    near.live.objects["Fridge|1"].is_open = True
    near.memory.opened["Fridge|1"] = 0
    assert near.finish() == ["navigate(Apple|1)", "close(Fridge|1)"]


def test_what_was_opened_is_closed_before_the_hand_is_freed_elsewhere(kitchen):
    hold(kitchen, "Mug|1")
    kitchen.objects["Fridge|1"].is_open = True
    play = Play(kitchen, [])
    play.memory.opened["Fridge|1"] = 0
    play.memory.standing_at = "Fridge|1"
    assert play.finish()[:2] == ["close(Fridge|1)", "navigate(CounterTop|1)"]


def test_an_object_that_serves_another_goal_is_not_taken_away(kitchen):
    goals = [
        item(Verb.STORE, "Apple|2", "DiningTable|1"),
        item(Verb.PICK_UP, "Apple|2", goal=1),
    ]
    play = Play(kitchen, goals, candidates={1: [("Apple|2", None), ("Apple|1", None)]})
    decision = play.run()
    assert not decision.stuck
    assert play.live.held_id == "Apple|1"
    alone = Play(kitchen, goals).run()
    assert alone.culprit == goals[1]
    assert alone.stuck == (
        "'pick_up Apple|2' can't be brought about: it would undo 'store Apple|2 DiningTable|1'."
    )


def test_another_instance_serves_when_the_bound_one_can_not(kitchen):
    goal = item(Verb.STORE, "Apple|1", "Cabinet|1")
    candidates = [("Apple|1", "Cabinet|1"), ("Apple|2", "Cabinet|1")]
    play = Play(kitchen, [goal], candidates={0: candidates}, sight="shelf")
    play.memory.unreachable.add("Fridge|1")
    decision = play.run()
    assert not decision.stuck
    assert play.live.objects["Apple|2"].parent_receptacles == ("Cabinet|1",)
    assert play.live.objects["Cabinet|1"].is_open is False
    assert len(play.steps) == 6
    nothing = Play(kitchen, [goal], candidates={0: candidates[:1]})
    nothing.memory.unreachable.add("Fridge|1")
    decision = nothing.decide()
    assert decision.culprit == goal
    assert "Fridge|1 can't be reached" in decision.stuck


def test_what_can_not_be_done_is_told(kitchen):
    goal = item(Verb.PICK_UP, "Sofa|1")
    decision = Play(kitchen, [goal]).decide()
    assert decision.step is None
    assert decision.culprit == goal
    assert decision.stuck == (
        "'pick_up Sofa|1' can't be brought about: Sofa|1 must be something to pick up."
    )
    gone = item(Verb.PICK_UP, "Vase|1")
    assert "Vase|1 is not known" in Play(kitchen, [gone]).decide().stuck


def test_a_refused_way_is_left_for_the_next(kitchen):
    goal = item(Verb.FIND, "Mug|1")
    play = Play(kitchen, [goal])
    assert str(play.decide().step) == "navigate(Mug|1)"
    play.memory.standing_at = "Mug|1"  # it went there and saw nothing
    assert str(play.decide().step) == "look(Mug|1)"


# -- disturbances ----------------------------------------------------------------------------


def test_an_object_that_was_moved_on_is_followed(kitchen):
    def disturb(play, number):
        if number == 3:
            put(play, "Apple|1", "Cabinet|1")

    play = Play(kitchen, [item(Verb.STORE, "Apple|1", "DiningTable|1")], sight="shelf")
    steps = play.finish(disturb)
    assert "pickup(Apple|1)" in steps
    assert {play.live.objects[i].is_open for i in ("Fridge|1", "Cabinet|1")} == {False}


@pytest.mark.parametrize("when", [2, 6, 7])
def test_a_container_that_was_closed_again_is_opened_again(kitchen, when):
    def disturb(play, number):
        if number == when:
            for name in ("Fridge|1", "Cabinet|1"):
                play.live.objects[name].is_open = False
            play._look()

    Play(kitchen, [item(Verb.STORE, "Apple|1", "Cabinet|1")]).finish(disturb)


@pytest.mark.parametrize("when", [4, 5, 6, 7, 8])
def test_what_is_taken_out_of_the_hand_is_fetched_again(kitchen, when):
    def disturb(play, number):
        if number == when and play.live.held_id:
            put(play, play.live.held_id, "DiningTable|1")

    play = Play(kitchen, [item(Verb.STORE, "Apple|1", "Cabinet|1")])
    assert play.finish(disturb).count("pickup(Apple|1)") in (1, 2)


def test_what_is_put_into_the_hand_is_put_away(kitchen):
    def disturb(play, number):
        if number == 1:
            take(play, "Mug|1")

    steps = Play(kitchen, [item(Verb.PICK_UP, "Apple|2")]).finish(disturb)
    assert "place(Mug|1, CounterTop|1)" in steps


# -- records ---------------------------------------------------------------------------------


def test_the_tree_is_kept_while_the_goals_are_the_same(kitchen):
    goals = [item(Verb.STORE, "Apple|1", "Cabinet|1")]
    play = Play(kitchen, goals)
    assert play.policy.tree() is None
    for tick in range(1, 4):
        play.act(play.decide().step)
        assert play.policy.tree().tick == tick
    assert any(node.name == "close Fridge|1" for node in play.policy.tree().nodes)
    play.goals.append(item(Verb.FIND, "Egg|1", goal=1))
    play.decide()
    assert play.policy.tree().tick == 1


def test_a_tree_is_readable(kitchen):
    play = Play(kitchen, [item(Verb.PICK_UP, "Apple|1")])
    play.decide()
    record = play.policy.tree()
    assert record.nodes[0].parent == -1
    assert all(0 <= node.parent < i for i, node in enumerate(record.nodes) if i)
    text = render(record)
    assert text.splitlines()[:3] == [
        "→ agenda ●",
        "    ? pick_up Apple|1 ●",
        "        ○ is 'pick_up Apple|1' true? ✕  -- Apple|1 out of the hand",
    ]
    assert "▸ navigate Fridge|1 ●" in text
    assert len(render(record, ticked_only=True).splitlines()) < len(text.splitlines())


# -- with the runner -------------------------------------------------------------------------


def run(house, *goals):
    planner = make_planner("behavior_tree")
    runner = ReactiveRunner(planner, house, house, get_profile("strict"))
    return runner.run([SubGoal(*goal.split()) for goal in goals], 0)


def test_what_is_refused_is_done_another_way(house):
    full = (PlaceError.NO_VALID_PLACEMENT, "No valid positions to place object found")
    house.refusals[("place", "Mug|1", "Drawer|1")] = full
    house.refusals[("pick", "Book|1")] = (PickError.NOT_VISIBLE, "It is not in sight.")
    outcome = run(house, "store mug drawer", "store book fridge")
    assert outcome.code == 0
    world = house.world
    assert world.objects["Mug|1"].parent_receptacles == ("Drawer|2",)
    assert world.objects["Book|2"].parent_receptacles == ("Fridge|1",)
    assert not any(world.objects[i].is_open for i in ("Cabinet|1", "Drawer|1", "Fridge|1"))
    assert {node.status for node in outcome.tree.nodes[:1]} == {NodeStatus.SUCCESS}
