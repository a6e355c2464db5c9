import pytest

from milo_core.error_codes import RunTaskError
from milo_core.errors import MiloError
from milo_core.tasks import SubGoal, load_tasks
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.registry import UnknownPlannerError, make_planner


def belief(object_id, object_type, distance=1.0, **facts):
    return ObjectBelief(
        object_id, object_type, (0, 0, 0), (0, 0, 0), (0.1, 0.1, 0.1), distance=distance, **facts
    )


@pytest.fixture
def world():
    beliefs = [
        belief("Mug|1", "Mug", pickupable=True),
        belief("Fridge|1", "Fridge", openable=True, is_open=False),
        belief("Box|1", "Box", openable=True, is_open=True),
        belief("Shelf|1", "Shelf"),
        belief("Drawer|1", "Drawer", openable=True, is_open=None),
        belief("Drawer|2", "Drawer", distance=9.0, openable=True, is_open=True),
    ]
    return WorldModel(objects={b.object_id: b for b in beliefs})


@pytest.fixture
def planner():
    return make_planner("rule_based")


def actions(planner, world, *goal):
    result = planner.plan(SubGoal(*goal), world)
    assert result.success, result.errors
    return [str(s) for s in result.steps]


ACQUIRE = ["locate(mug)", "navigate(mug)", "pickup(mug)"]


def approach(name):
    return [f"locate({name})", f"navigate({name})"]


def test_find_pick_up_fetch_deliver(planner, world):
    assert actions(planner, world, "find", "mug") == approach("mug")
    assert actions(planner, world, "pick_up", "mug") == ACQUIRE
    assert actions(planner, world, "fetch", "mug") == ACQUIRE
    assert actions(planner, world, "deliver", "mug", "shelf") == ACQUIRE + approach("shelf")


def test_store_opens_and_closes_only_what_needs_it(planner, world):
    closed = actions(planner, world, "store", "mug", "fridge")
    assert closed == [
        *ACQUIRE,
        *approach("fridge"),
        "open(fridge)",
        "place(mug, fridge)",
        "close(fridge)",
    ]
    for name in ("box", "shelf"):
        assert actions(planner, world, "store", "mug", name) == [
            *ACQUIRE,
            *approach(name),
            f"place(mug, {name})",
        ]


def test_an_unknown_open_state_counts_as_closed_for_store_but_not_for_place(planner, world):
    assert len(actions(planner, world, "store", "mug", "drawer")) == 8
    assert len(actions(planner, world, "place", "mug", "drawer")) == 6


def test_open_and_close(planner, world):
    assert actions(planner, world, "open", "fridge") == [*approach("fridge"), "open(fridge)"]
    assert actions(planner, world, "close", None, "box") == [*approach("box"), "close(box)"]


def test_words_and_case_resolve(planner, world):
    assert len(actions(planner, world, "STORE", "Mugs", "Refrigerator")) == 8


@pytest.mark.parametrize(
    ("goal", "code", "text"),
    [
        (("juggle", "mug"), RunTaskError.UNSUPPORTED_GOAL, "no template for the goal 'juggle'"),
        (("store", "mug"), RunTaskError.INVALID_GOAL, "needs its target"),
        (("pick_up",), RunTaskError.INVALID_GOAL, "needs its object"),
        (("find",), RunTaskError.INVALID_GOAL, "needs an object or a target"),
        (("find", "unicorn"), RunTaskError.UNKNOWN_OBJECT_TYPE, "'unicorn' is no AI2-THOR"),
    ],
)
def test_impossible_goals_fail_with_code_and_sentence(planner, world, goal, code, text):
    result = planner.plan(SubGoal(*goal), world)
    assert not result.success
    assert text in result.errors[0]
    with pytest.raises(Exception, match=r"goal|type") as caught:
        planner.check(SubGoal(*goal), world)
    assert caught.value.code == code


def test_an_absent_object_makes_the_plan_invalid(planner, world):
    result = planner.plan(SubGoal("pick_up", "vase"), world)
    assert not result.success
    assert "no instance is known" in result.errors[0]


def test_a_full_hand_in_the_model_makes_the_plan_invalid(planner, world):
    world.held_id = "Fridge|1"
    assert "hand_empty" in planner.plan(SubGoal("pick_up", "mug"), world).errors[0]


def test_unknown_planner_names_the_choices():
    with pytest.raises(UnknownPlannerError, match="no planner 'oracle9'; use rule_based"):
        make_planner("oracle9")


def test_every_sub_goal_of_the_benchmark_is_supported(planner, world):
    for task in load_tasks():
        for goal in task.sub_goals():
            planner.check(goal, world)


def test_state_verbs_act(planner, world):
    mug = world.objects["Mug|1"]
    mug.is_toggled = mug.is_sliced = mug.visible = False
    for verb, action in (("turn_on", "toggle_on"), ("slice", "slice"), ("look_at", "look")):
        assert actions(planner, world, verb, "mug") == [*approach("mug"), f"{action}(mug)"]
    mug.is_toggled = True
    assert actions(planner, world, "turn_off", None, "mug") == [
        *approach("mug"),
        "toggle_off(mug)",
    ]
    assert "not_on" in planner.plan(SubGoal("turn_on", "mug"), world).errors[0]


@pytest.mark.parametrize("name", ["noop", "behavior_tree"])
def test_a_planner_that_decides_without_plans_says_so(world, name):
    with pytest.raises(MiloError, match=f"'{name}' makes no plans for an agenda"):
        make_planner(name).plan_agenda([], world)
