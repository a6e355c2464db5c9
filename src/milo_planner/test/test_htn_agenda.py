"""Plans of the task network for whole agendas, in a kitchen of a few things."""

import pytest

from milo_core.error_codes import PlaceError
from milo_core.plan import errors_of, replay
from milo_core.profiles import get_profile
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.agenda import AgendaItem, Duty, Verb, unmet_items
from milo_planner.htn import HtnPlanner
from milo_planner.memory import Memory
from milo_planner.policy import NoAgendaPlanError
from milo_planner.reactive_runner import ReactiveRunner


def thing(object_id, x, **facts):
    kind, place = object_id.split("|")[0], (x, 0.0, 0.0)
    return ObjectBelief(object_id, kind, place, place, (1, 1, 1), distance=x, **facts)


def container(object_id, x, **facts):
    return thing(object_id, x, **({"receptacle": True, "openable": True, "is_open": False} | facts))


def movable(object_id, x, *parents, **facts):
    return thing(object_id, x, pickupable=True, parent_receptacles=parents, **facts)


@pytest.fixture
def world():
    things = [
        thing("CounterTop|1", 1.0, receptacle=True),
        thing("DiningTable|1", 8.0, receptacle=True),
        container("Fridge|1", 5.0),
        container("Cabinet|1", 2.0),
        container("Drawer|1", 3.0, is_open=True),
        container("Microwave|1", 4.0, toggleable=True, is_toggled=True),
        movable("Apple|1", 1.0, "CounterTop|1", sliceable=True, is_sliced=False),
        movable("Mug|1", 2.0, "Cabinet|1"),
        movable("Plate|1", 2.0, "Cabinet|1"),
        movable("Egg|1", 5.0, "Fridge|1"),
        movable("Potato|1", 4.0, "Microwave|1"),
        movable("Box|1", 8.0, "DiningTable|1", receptacle=True, openable=True, is_open=False),
        movable("Pen|1", 8.0, "Box|1"),
        thing("Faucet|1", 3.0, toggleable=True, is_toggled=False),
    ]
    return Memory().belief(
        WorldModel(objects={t.object_id: t for t in things}, robot_position=(0.0, 0.0, 0.0))
    )


def items(*texts):
    """`store Mug|1 Fridge|1`, or `free_hand: store ...`, or `close: close ...`."""
    made = []
    for index, text in enumerate(texts):
        duty, _, words = text.rpartition(": ")
        verb, *ids = words.split()
        made.append(AgendaItem(index, Verb(verb), *ids, duty=Duty(duty or "goal")))
    return made


def plan(world, *texts, **options):
    """Return the plan as text after having checked that it does what it should."""
    agenda = items(*texts)
    before = world.copy()
    steps = HtnPlanner().plan_agenda(agenda, world, **options)
    assert world == before
    issues, end = replay([s.planned for s in steps], world, options.get("physics", "physical"))
    assert errors_of(issues) == []
    assert unmet_items(agenda, end) == []
    return [" ".join([s.action, *(i.split("|")[0] for i in s.arguments.values())]) for s in steps]


def failure(world, *texts):
    with pytest.raises(NoAgendaPlanError) as caught:
        HtnPlanner().plan_agenda(items(*texts), world)
    return str(caught.value), caught.value.culprit.goal


def hold(world, object_id):
    world.held_id = object_id
    world.objects[object_id].is_picked_up = True
    world.objects[object_id].parent_receptacles = ()


TAKE_MUG = [
    "navigate Cabinet",
    "open Cabinet",
    "navigate Mug",
    "pickup Mug",
    "navigate Cabinet",
    "close Cabinet",
]
INTO_FRIDGE = ["navigate Fridge", "open Fridge", "place Mug Fridge", "close Fridge"]


# -- one item ----------------------------------------------------------------------------------


def test_store_opens_and_closes_both_containers(world):
    assert plan(world, "store Mug|1 Fridge|1") == TAKE_MUG + INTO_FRIDGE


def test_what_is_true_is_skipped(world):
    assert plan(world, "store Apple|1 CounterTop|1", "open Drawer|1") == []
    world.near = {"Apple|1"}
    assert plan(world, "pick_up Apple|1") == ["pickup Apple"]
    hold(world, "Apple|1")
    assert plan(world, "store Apple|1 Drawer|1") == ["navigate Drawer", "place Apple Drawer"]


def test_state_verbs(world):
    assert plan(world, "turn_on Faucet|1") == ["navigate Faucet", "toggle_on Faucet"]
    assert plan(world, "turn_off Microwave|1") == ["navigate Microwave", "toggle_off Microwave"]
    assert plan(world, "open Cabinet|1") == ["navigate Cabinet", "open Cabinet"]
    assert plan(world, "close Drawer|1") == ["navigate Drawer", "close Drawer"]
    assert plan(world, "slice Apple|1") == ["navigate Apple", "slice Apple"]
    assert plan(world, "navigate Drawer|1") == ["navigate Drawer"]
    assert plan(world, "look_at Apple|1") == ["navigate Apple", "look Apple"]
    assert plan(world, "deliver Apple|1 DiningTable|1") == [
        "navigate Apple",
        "pickup Apple",
        "navigate DiningTable",
    ]


def test_what_runs_is_switched_off_to_open_it_and_on_again(world):
    assert plan(world, "pick_up Potato|1") == [
        "navigate Microwave",
        "toggle_off Microwave",
        "open Microwave",
        "navigate Potato",
        "pickup Potato",
        "navigate Microwave",
        "close Microwave",
        "toggle_on Microwave",
    ]
    assert "toggle_on Microwave" not in plan(world, "pick_up Potato|1", "turn_off Microwave|1")


def test_what_must_be_closed_is_closed_to_switch_it_on(world):
    microwave = world.objects["Microwave|1"]
    microwave.is_open, microwave.is_toggled = True, False
    assert plan(world, "turn_on Microwave|1") == [
        "navigate Microwave",
        "close Microwave",
        "toggle_on Microwave",
    ]


def test_find_shows_what_is_shut_away_and_closes_it_again(world):
    steps = plan(world, "find Egg|1")
    assert steps[:3] == ["navigate Fridge", "open Fridge", "navigate Egg"]
    assert steps[3:] == ["navigate Fridge", "close Fridge"]
    world.near = {"Apple|1"}
    assert plan(world, "find Apple|1") == ["look Apple"]


def test_containers_in_containers_are_opened_from_the_outside(world):
    world.objects["Box|1"].parent_receptacles = ("Cabinet|1",)
    steps = plan(world, "pick_up Pen|1")
    assert [s for s in steps if s.startswith("open")] == ["open Cabinet", "open Box"]
    assert [s for s in steps if s.startswith("close")] == ["close Box", "close Cabinet"]


def test_a_container_of_unknown_state_is_opened(world):
    world.objects["Drawer|1"].is_open = None
    assert plan(world, "store Apple|1 Drawer|1")[-3:] == [
        "open Drawer",
        "place Apple Drawer",
        "close Drawer",
    ]


def test_what_the_robot_is_to_stand_at_stays_accessible(world):
    assert plan(world, "navigate Egg|1") == ["navigate Fridge", "open Fridge", "navigate Egg"]


# -- several items -----------------------------------------------------------------------------


def test_a_shared_source_stays_open_until_the_second_thing_is_taken(world):
    steps = plan(world, "store Mug|1 CounterTop|1", "store Plate|1 DiningTable|1")
    assert steps.count("open Cabinet") == steps.count("close Cabinet") == 1
    assert steps.index("close Cabinet") > steps.index("pickup Plate")
    assert steps.index("close Cabinet") < steps.index("place Plate DiningTable")


def test_a_shared_target_is_opened_once(world):
    steps = plan(world, "store Mug|1 Fridge|1", "store Apple|1 Fridge|1")
    assert steps.count("open Fridge") == steps.count("close Fridge") == 1
    assert steps[-2:] == ["place Mug Fridge", "close Fridge"]


def test_a_container_that_a_goal_wants_open_stays_open(world):
    steps = plan(world, "store Mug|1 Fridge|1", "open Fridge|1", "close Drawer|1")
    assert "close Fridge" not in steps
    assert "close Cabinet" in steps
    # It is closed for what is in it, and for what switches it on, when that is done.
    steps = plan(world, "close Drawer|1", "store Apple|1 Drawer|1")
    assert steps[-2:] == ["place Apple Drawer", "close Drawer"]
    world.objects["Microwave|1"].is_toggled = False
    steps = plan(world, "turn_on Microwave|1", "store Apple|1 Microwave|1")
    assert steps[-2:] == ["close Microwave", "toggle_on Microwave"]


def test_what_is_in_the_hand_is_put_away_first(world):
    hold(world, "Egg|1")
    steps = plan(world, "store Apple|1 DiningTable|1", "store Egg|1 Fridge|1")
    assert steps[:4] == ["navigate Fridge", "open Fridge", "place Egg Fridge", "close Fridge"]


def test_a_hand_full_of_what_is_wanted_there_is_freed_and_filled_again(world):
    hold(world, "Apple|1")
    steps = plan(world, "pick_up Apple|1", "store Egg|1 DiningTable|1")
    assert steps[:2] == ["navigate CounterTop", "place Apple CounterTop"]
    assert steps[-1] == "pickup Apple"


def test_where_the_hand_is_freed_depends_on_what_is_remembered(world):
    hold(world, "Apple|1")
    memory = Memory(no_room={("Apple|1", "CounterTop|1")})
    goals = ("pick_up Apple|1", "store Egg|1 DiningTable|1")
    assert "place Apple DiningTable" in plan(world, *goals, memory=memory)
    memory.unreachable.add("DiningTable|1")
    assert plan(world, *goals, memory=memory)[0] == "put_down Apple"
    memory.origin["Apple|1"] = ("Fridge|1", "Shelf|7", "DiningTable|1")
    memory.unreachable.clear()
    assert "place Apple DiningTable" in plan(world, *goals, memory=memory)


def test_duties_come_first_and_near_closings_before_everything(world):
    hold(world, "Apple|1")
    world.objects["Cabinet|1"].is_open = True
    duties = ("free_hand: store Apple|1 CounterTop|1", "close: close Cabinet|1")
    steps = plan(world, "store Egg|1 DiningTable|1", *duties)
    assert steps[:4] == [
        "navigate CounterTop",
        "place Apple CounterTop",
        "navigate Cabinet",
        "close Cabinet",
    ]
    world.near = {"Cabinet|1"}
    assert plan(world, "store Egg|1 DiningTable|1", *duties)[0] == "close Cabinet"


def test_a_duty_to_close_waits_for_what_is_still_needed_inside(world):
    world.objects["Cabinet|1"].is_open, world.near = True, {"Cabinet|1"}
    steps = plan(world, "store Mug|1 DiningTable|1", "close: close Cabinet|1")
    assert steps[:4] == ["navigate Mug", "pickup Mug", "navigate Cabinet", "close Cabinet"]


def test_what_ends_in_the_hand_at_a_place_or_with_a_view_comes_last(world):
    steps = plan(
        world, "look_at Egg|1", "navigate Faucet|1", "pick_up Apple|1", "store Mug|1 DiningTable|1"
    )
    assert steps.index("place Mug DiningTable") < steps.index("pickup Apple")
    assert steps.index("pickup Apple") < len(steps) - 1 - steps[::-1].index("navigate Faucet")


def test_the_nearest_comes_first_from_wherever_the_robot_is(world):
    steps = plan(world, "store Box|1 Drawer|1", "store Apple|1 DiningTable|1", "open Cabinet|1")
    # From the apple at 1 m to the table at 8 m, where the box is; the cabinet at 2 m is last.
    assert steps[:2] == ["navigate Apple", "pickup Apple"]
    assert steps.index("pickup Box") < steps.index("open Cabinet")


def test_something_is_put_into_what_moves_before_that_moves(world):
    steps = plan(world, "store Box|1 CounterTop|1", "store Apple|1 Box|1", "turn_on Faucet|1")
    assert steps.index("place Apple Box") < steps.index("pickup Box")


def test_what_opens_only_while_it_is_off_is_opened_before_it_is_switched_on(world):
    world.objects["Laptop|1"] = container("Laptop|1", 1.0, toggleable=True, is_toggled=False)
    world.located.add("Laptop|1")
    steps = plan(world, "turn_on Laptop|1", "open Laptop|1")
    assert steps == ["navigate Laptop", "open Laptop", "toggle_on Laptop"]
    world.objects["Laptop|1"].is_toggled = True
    assert plan(world, "turn_on Laptop|1", "open Laptop|1") == [
        "navigate Laptop",
        "toggle_off Laptop",
        "open Laptop",
        "toggle_on Laptop",
    ]


def test_what_is_to_be_cut_is_stored_while_it_is_whole(world):
    steps = plan(world, "slice Apple|1", "store Apple|1 DiningTable|1")
    assert steps[-1] == "slice Apple"


def test_steps_serve_the_goal_of_their_item(world):
    agenda = [
        AgendaItem(4, Verb.STORE, "Mug|1", "Fridge|1"),
        AgendaItem(2, Verb.OPEN, "Cabinet|1"),
    ]
    steps = HtnPlanner().plan_agenda(agenda, world)
    assert {s.goal for s in steps if "Fridge|1" in s.arguments.values()} == {4}
    closing = next(s for s in HtnPlanner().plan_agenda(agenda[:1], world) if s.action == "close")
    assert closing.goal == 4


# -- backtracking ------------------------------------------------------------------------------


def test_the_order_is_changed_where_a_later_item_undoes_an_earlier_one(world):
    steps = plan(world, "navigate Faucet|1", "look_at Apple|1")
    assert steps == ["navigate Apple", "look Apple", "navigate Faucet"]


def test_what_can_not_be_put_where_it_can_stay_is_let_go_of(world):
    hold(world, "Apple|1")
    for name in ("CounterTop|1", "DiningTable|1"):
        del world.objects[name]
    world.objects["Box|1"].parent_receptacles = ()
    assert plan(world, "slice Apple|1") == ["put_down Apple", "navigate Apple", "slice Apple"]


def test_published_rules_need_a_look_to_have_seen_something(world):
    steps = plan(world, "find Apple|1", "store Mug|1 Fridge|1", physics="published")
    assert "look Apple" in steps


# -- no plan -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("texts", "culprit", "text"),
    [
        (("store Mug|1 Faucet|1",), 0, "'store Mug|1 Faucet|1': Faucet|1 must take objects"),
        (("open Cabinet|1", "pick_up Fridge|1"), 1, "Fridge|1 must be something to pick up"),
        (("open Cabinet|1", "open Apple|1"), 1, "Apple|1 must be something to open"),
        (("turn_on Fridge|1",), 0, "Fridge|1 must have a switch"),
        (("slice Mug|1",), 0, "Mug|1 must be something to cut"),
        (("find Vase|1",), 0, "no instance is known of 'Vase|1'"),
        (("store Box|1 Box|1",), 0, "can't be its own target"),
        (("pick_up Mug|1", "pick_up Egg|1"), 1, "together with 'pick_up Mug|1'; drop one"),
        (("store Mug|1 Fridge|1", "pick_up Mug|1"), 1, "can't be true together"),
        (("store Mug|1 Fridge|1", "store Mug|1 Drawer|1"), 1, "can't be true together"),
        (("open Drawer|1", "close Drawer|1"), 1, "can't be true together"),
        (("turn_on Microwave|1", "open Microwave|1"), 1, "can't be true together"),
        (("navigate Faucet|1", "deliver Mug|1 Fridge|1"), 1, "can't be true together"),
    ],
)
def test_the_culprit_and_the_reason_are_named(world, texts, culprit, text):
    message, goal = failure(world, *texts)
    assert text in message
    assert message.endswith(".")
    assert goal == culprit


def test_an_item_that_fails_by_itself_is_blamed(world):
    # A thing that is locked in itself: no method can open what is around it.
    world.objects["Box|1"].parent_receptacles = ("Box|1",)
    message, goal = failure(world, "store Apple|1 Fridge|1", "store Pen|1 Drawer|1")
    assert goal == 1
    assert "'store Pen|1 Drawer|1'" in message


def test_items_that_only_fail_together_are_told(world):
    world.near = {"Faucet|1", "Drawer|1"}
    message, _ = failure(world, "navigate Faucet|1", "navigate Drawer|1", "open Cabinet|1")
    assert "together with the rest" in message


# -- acting ------------------------------------------------------------------------------------


def run(house, *texts):
    goals = [SubGoal(*text.split()) for text in texts]
    runner = ReactiveRunner(HtnPlanner(), house, house, get_profile("strict"))
    return runner.run(goals, 5)


def test_a_task_is_done_as_one_network(house):
    outcome = run(house, "store mug fridge", "store apple cabinet")
    assert outcome.code == 0, outcome
    assert house.world.objects["Mug|1"].parent_receptacles == ("Fridge|1",)
    assert house.world.objects["Apple|1"].parent_receptacles == ("Cabinet|1",)
    assert not house.world.objects["Cabinet|1"].is_open
    assert not house.world.objects["Fridge|1"].is_open
    opened = [call for call in house.calls if call[0] == "open"]
    assert sorted(opened) == [("open", "Cabinet|1"), ("open", "Fridge|1")]


def test_a_refusal_leads_to_another_instance(house):
    refusal = (PlaceError.NO_VALID_PLACEMENT, "There is no room.")
    house.refusals["place", "Apple|1", "Drawer|1"] = refusal
    outcome = run(house, "store apple drawer")
    assert outcome.code == 0, outcome
    assert house.world.objects["Apple|1"].parent_receptacles == ("Drawer|2",)
    assert not any(house.world.objects[f"Drawer|{n}"].is_open for n in (1, 2, 3))
