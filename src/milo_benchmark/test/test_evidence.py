import pytest

from milo_benchmark.evidence import TruthReader, as_truth, goal_facts
from milo_core.error_codes import PickError, PlaceError, RunTaskError, SetOpenError
from milo_core.failures import EpisodeFacts, classify
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel

RESET = 100
MUG, BOOK, DRAWER = "Mug|1", "Book|1", "Drawer|1"
GOALS = [SubGoal("store", "mug", "drawer")]


def thing(object_id, **values):
    size = (0.1, 0.1, 0.1)
    return ObjectBelief(object_id, object_id.split("|")[0], size, size, size, **values)


def world(step=RESET, held=None, drawer_open=False, **mug):
    objects = [
        thing(MUG, pickupable=True, distance=1.0, **mug),
        thing(BOOK, pickupable=True, distance=5.0, visible=False),
        thing(DRAWER, openable=True, receptacle=True, is_open=drawer_open, distance=1.0),
    ]
    return WorldModel(step=step, objects={o.object_id: o for o in objects}, held_id=held)


@pytest.fixture
def failure(make):
    """Return a function: steps and truth by engine step -> the failure of a one-goal task."""

    def of(steps, worlds, physics="physical", task_code=0):
        plans = [make.plan(steps, status="failed")]
        facts = EpisodeFacts(
            False,
            task_code=task_code,
            goals=goal_facts(GOALS, [make.verdict(False)], plans, [], worlds.get(RESET)),
            steps=TruthReader(plans, RESET, physics, worlds.get).step_facts(),
        )
        return classify(facts)

    return of


def words(found):
    return found.failure_class, found.detail, found.unmet, found.blame


def test_a_full_hand_nobody_knew_of(make, failure):
    """What happens in the profile milo, which plans as if the hand were empty."""
    steps = [
        make.step(1, "navigate", object_id=BOOK, engine_step=103),
        make.step(2, "pickup", object_id=MUG, status="failed", error_code=210, engine_step=104),
    ]
    worlds = {RESET: world(), 103: world(held=BOOK), 104: world(held=BOOK)}
    found = failure(steps, worlds, "published")
    assert words(found) == ("precondition", "wrong_order", ("hand_empty",), "world_state")


def test_it_was_full_from_the_start(make, failure):
    steps = [make.step(1, "pickup", status="failed", error_code=210, engine_step=101)]
    found = failure(steps, {RESET: world(held=BOOK)})
    assert words(found)[1:] == ("missing_step", ("hand_empty",), "world_state")


def test_a_blocked_step_starts_from_the_state_after_the_step_before(make, failure):
    steps = [
        make.step(1, "pickup", engine_step=105),
        make.step(
            2,
            "place",
            receptacle="drawer",
            receptacle_id=DRAWER,
            status="blocked",
            error_code=RunTaskError.PRECONDITION_FAILED,
            unmet_preconditions=["container_ready"],
            engine_step=None,
        ),
    ]
    found = failure(steps, {RESET: world(), 105: world(held=MUG)})
    assert words(found) == ("precondition", "missing_step", ("container_ready",), "plan")
    opened = {RESET: world(drawer_open=True), 105: world(held=MUG, drawer_open=True)}
    assert words(failure(steps, opened))[2:] == (("container_ready",), "world_state")


def test_a_skill_that_refuses_by_itself_ends_where_it_began(make, failure):
    steps = [
        make.step(1, "navigate", engine_step=105),
        make.step(2, "pickup", status="failed", error_code=PickError.NOT_VISIBLE, engine_step=105),
    ]
    worlds = {RESET: world(held=BOOK), 105: world(visible=True)}
    assert words(failure(steps, worlds)) == ("geometry", None, (), "execution")


def test_no_room_is_geometry_and_nobodys_wrong_belief(make, failure):
    code = PlaceError.NO_VALID_PLACEMENT
    step = make.step(
        1, "place", receptacle_id=DRAWER, status="failed", error_code=code, engine_step=101
    )
    found = failure([step], {RESET: world(held=MUG, drawer_open=True)})
    assert words(found) == ("geometry", None, (), "execution")


def test_what_can_never_be_opened(make, failure):
    code = SetOpenError.NOT_OPENABLE
    steps = [make.step(1, "open", status="failed", error_code=code, engine_step=101)]
    found = failure(steps, {RESET: world()}, "published")
    assert words(found) == ("precondition", "affordance", ("is_openable",), "plan")


def test_what_is_open_already(make, failure):
    step = make.step(
        1,
        "open",
        object_id=DRAWER,
        status="blocked",
        error_code=RunTaskError.PRECONDITION_FAILED,
        unmet_preconditions=["not_open"],
        engine_step=None,
    )
    found = failure([step], {RESET: world(drawer_open=True)})
    assert words(found) == ("precondition", "additional_step", ("not_open",), "plan")


@pytest.mark.parametrize(("name", "blame"), [("book", "world_state"), ("vase", "plan")])
def test_a_name_that_was_never_bound(make, failure, name, blame):
    step = make.step(
        1,
        "pickup",
        object=name,
        object_id=None,
        status="blocked",
        error_code=PickError.OBJECT_NOT_FOUND,
        engine_step=None,
    )
    found = failure([step], {RESET: world()})
    assert words(found) == ("grounding", None, (), blame)


def test_an_id_that_is_none(make, failure):
    code = PickError.OBJECT_NOT_FOUND
    step = make.step(1, "pickup", object_id="Mug|9", status="failed", error_code=code)
    assert failure([step], {RESET: world()}).blame == "plan"


def test_without_truth_there_is_no_blame(make, failure):
    step = make.step(1, "pickup", status="failed", error_code=210, engine_step=101)
    assert words(failure([step], {})) == ("precondition", None, ("hand_empty",), None)


def test_actions_outside_the_table_have_no_truth(make, failure):
    step = make.step(1, "dance", status="failed", error_code=0, engine_step=101)
    assert words(failure([step], {RESET: world()})) == ("engine", None, (), None)


def test_near_is_what_the_robot_reaches():
    assert as_truth(world(), "physical").near == {MUG, DRAWER}
    assert as_truth(world(), "published").near == {MUG, BOOK, DRAWER}


def test_goals_know_what_became_of_them(make):
    outcome = make.goal_outcome("abandoned", error_code=1011, error_msg="No room.")
    goals = [*GOALS, SubGoal("Find", "vase")]
    plans = [make.plan([], 1, status="invalid")]
    verdicts = [make.verdict(False), make.verdict(True)]
    first, second = goal_facts(goals, verdicts, plans, [outcome], world())
    assert (first.abandoned_code, first.satisfied, first.plan_invalid) == (1011, False, False)
    assert (second.abandoned_code, second.satisfied, second.plan_invalid) == (0, True, True)
    assert (first.exists, second.exists, second.verb) == (True, False, "find")
    assert goal_facts(goals, [], [], [], None)[0].exists is None


def test_only_what_decides_is_looked_up(make):
    asked = []

    def truth(step):
        asked.append(step)
        return world(step)

    step = make.step(1, "pickup", status="failed", error_code=PickError.NOT_VISIBLE)
    steps = [step.model_copy(update={"engine_step": RESET + n}) for n in range(1, 30)]
    facts = TruthReader([make.plan(steps)], RESET, "physical", truth).step_facts()
    assert [f.truth is not None for f in facts] == [False] * 28 + [True]
    assert asked == [RESET + 28]
