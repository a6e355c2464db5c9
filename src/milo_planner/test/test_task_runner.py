"""The executor and task runner on a small symbolic robot."""

import threading

import pytest

from milo_core.error_codes import (
    EngineError,
    NavigateToError,
    PickError,
    PlaceError,
    RunTaskError,
    SetOpenError,
    SetToggledError,
    SliceError,
)
from milo_core.profiles import get_profile
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.execution import Interrupted, SkillOutcome, StaleWorldError, StepStatus
from milo_planner.interruption import TaskWaiter
from milo_planner.registry import make_planner
from milo_planner.task_runner import TaskRunner


class SymbolicRobot:
    """A world whose skills do what they say, unless a refusal was planted."""

    def __init__(self):
        def row(object_id, distance, **facts):
            kind = {"Lamp": "FloorLamp"}.get(object_id.split("|")[0], object_id.split("|")[0])
            return ObjectBelief(
                object_id, kind, (0, 0, 0), (0, 0, 0), (1, 1, 1), distance=distance, **facts
            )

        rows = [
            row("Mug|1", 1.0),
            row("Apple|1", 1.0, sliceable=True, is_sliced=False),
            row("Lamp|1", 2.0, toggleable=True, is_toggled=False),
            row("Pen|1", 1.0),
            row("Drawer|1", 2.0, openable=True, is_open=False),
            row("Drawer|2", 3.0, openable=True, is_open=False),
            row("Shelf|1", 2.0),
        ]
        self.world = WorldModel(objects={r.object_id: r for r in rows}, step=7)
        self.calls = []
        self.refusals = {}
        self.no_effect = set()
        self.after = {}

    def current(self, min_step):
        if self.world.step < min_step:
            raise StaleWorldError(f"No WorldState of engine step {min_step} came.")
        return self.world.copy()

    def _skill(self, name, *args, effect=lambda: None):
        self.calls.append((name, *args))
        refusal = self.refusals.get((name, args[0]))
        if isinstance(refusal, Exception):
            raise refusal
        self.world.step += 1
        self.after.get((name, args[0]), lambda: None)()
        if refusal:
            return SkillOutcome(*refusal, self.world.step)
        if name not in self.no_effect:
            effect()
        return SkillOutcome(engine_step=self.world.step)

    def navigate(self, object_id, mode, options):
        return self._skill("navigate", object_id, mode)

    def pick(self, object_id, force):
        if self.world.held_id:
            self.refusals[("pick", object_id)] = (PickError.HAND_FULL, "Hand is full.")

        def effect():
            self.world.held_id = object_id

        return self._skill("pick", object_id, force, effect=effect)

    def place(self, object_id, receptacle_id, force, any_type, turn):
        def effect():
            self.world.held_id = None
            self.world.objects[object_id].parent_receptacles = (receptacle_id,)

        return self._skill("place", receptacle_id, object_id, force, effect=effect)

    def set_open(self, object_id, openness, force):
        def effect():
            self.world.objects[object_id].is_open = openness > 0

        return self._skill("set_open", object_id, openness, force, effect=effect)

    def set_toggled(self, object_id, toggled, force):
        def effect():
            self.world.objects[object_id].is_toggled = toggled

        return self._skill("set_toggled", object_id, toggled, force, effect=effect)

    def slice(self, object_id, force):
        def effect():
            self.world.objects[object_id].is_sliced = True

        return self._skill("slice", object_id, force, effect=effect)

    def look_at(self, object_id):
        def effect():
            self.world.objects[object_id].visible = True

        return self._skill("look_at", object_id, effect=effect)

    def release(self, object_id, force):
        raise AssertionError("no plan of these tests releases")


@pytest.fixture
def robot():
    return SymbolicRobot()


def run(robot, *goals, **kwargs):
    runner = TaskRunner(make_planner("rule_based"), robot, robot, get_profile("milo"), **kwargs)
    return runner.run([SubGoal(*goal) for goal in goals], min_step=7)


def statuses(outcome, index=0):
    return [step.status.name for step in outcome.records[index].steps]


STORE_MUG = ("store", "mug", "drawer")
STORE_PEN = ("store", "pen", "shelf")


def test_a_store_task_end_to_end(robot):
    outcome = run(robot, STORE_MUG)
    assert outcome.code == 0
    assert outcome.plan_success
    assert outcome.execution_success
    assert statuses(outcome) == ["SUCCEEDED"] * 8
    assert robot.calls == [
        ("navigate", "Mug|1", "teleport"),
        ("pick", "Mug|1", True),
        ("navigate", "Drawer|1", "teleport"),
        ("set_open", "Drawer|1", 1.0, True),
        ("place", "Drawer|1", "Mug|1", True),
        ("set_open", "Drawer|1", 0.0, True),
    ]
    steps = outcome.records[0].steps
    assert [s.forced for s in steps] == [False, False, True, False, False, True, True, True]
    assert steps[0].engine_step == 0
    assert steps[1].engine_step == 8
    assert outcome.engine_step == 13


def test_failed_blocked_and_skipped_are_told_apart(robot):
    robot.refusals[("place", "Drawer|1")] = (PlaceError.NO_VALID_PLACEMENT, "No room.")
    outcome = run(robot, STORE_MUG)
    assert statuses(outcome)[5:] == ["SUCCEEDED", "FAILED", "SKIPPED"]
    assert outcome.code == RunTaskError.EXECUTION_FAILED
    assert outcome.message == "No room."
    assert outcome.plan_success
    assert not outcome.execution_success
    assert robot.world.held_id == "Mug|1"


def test_the_next_sub_goal_is_attempted_after_a_failure_and_plans_with_an_empty_hand(robot):
    robot.refusals[("place", "Drawer|1")] = (PlaceError.NO_VALID_PLACEMENT, "No room.")
    outcome = run(robot, STORE_MUG, STORE_PEN)
    assert outcome.plan_success
    assert statuses(outcome, 1) == ["SUCCEEDED", "SUCCEEDED", "FAILED", *["SKIPPED"] * 3]
    assert outcome.records[1].steps[2].error_code == PickError.HAND_FULL
    assert outcome.message == "No room."


def test_an_object_that_vanishes_blocks_the_step(robot):
    robot.after[("navigate", "Mug|1")] = lambda: robot.world.objects.pop("Mug|1")
    outcome = run(robot, ("pick_up", "mug"))
    assert statuses(outcome) == ["SUCCEEDED", "SUCCEEDED", "BLOCKED"]
    step = outcome.records[0].steps[2]
    assert step.error_code == PickError.OBJECT_NOT_FOUND
    assert ("pick", "Mug|1", True) not in robot.calls


def test_an_unmet_precondition_blocks_before_dispatch(robot):
    def other_drawer_is_nearer_now():
        robot.world.objects["Drawer|2"].distance = 0.1

    robot.after[("set_open", "Drawer|1")] = other_drawer_is_nearer_now
    outcome = run(robot, STORE_MUG)
    assert statuses(outcome)[6:] == ["BLOCKED", "SKIPPED"]
    step = outcome.records[0].steps[6]
    assert step.receptacle_id == "Drawer|2"
    assert step.error_code == RunTaskError.PRECONDITION_FAILED
    assert "Drawer|2 must not be closed (container_ready)" in step.error_msg


def test_the_instance_is_resolved_anew_at_each_step(robot):
    def other_drawer_is_nearer_now():
        robot.world.objects["Drawer|2"].distance = 0.1

    robot.after[("navigate", "Drawer|1")] = other_drawer_is_nearer_now
    outcome = run(robot, STORE_MUG)
    assert outcome.execution_success
    assert ("set_open", "Drawer|2", 1.0, True) in robot.calls


def test_no_pose_is_a_successful_stay_with_a_note(robot):
    robot.refusals[("navigate", "Mug|1")] = (NavigateToError.NO_INTERACTABLE_POSE, "No pose.")
    outcome = run(robot, ("pick_up", "mug"))
    assert outcome.execution_success
    assert outcome.records[0].steps[1].note == "No pose. The robot stayed where it was."


def test_a_skill_without_effect_fails(robot):
    robot.no_effect.add("set_open")
    outcome = run(robot, STORE_MUG)
    step = outcome.records[0].steps[5]
    assert step.status is StepStatus.FAILED
    assert step.error_code == SetOpenError.NO_EFFECT
    assert "still closed" in step.error_msg


def test_an_engine_failure_ends_the_task(robot):
    robot.refusals[("pick", "Mug|1")] = (EngineError.ENGINE_DIED, "The player died.")
    outcome = run(robot, STORE_MUG, STORE_PEN)
    assert outcome.code == EngineError.ENGINE_DIED
    assert len(outcome.records) == 1


def test_interruption_cancels_the_running_step_and_skips_the_rest(robot):
    robot.refusals[("pick", "Mug|1")] = Interrupted(RunTaskError.CANCELED, "Canceled.")
    outcome = run(robot, STORE_MUG, STORE_PEN)
    assert outcome.code == RunTaskError.CANCELED
    assert statuses(outcome)[2:] == ["CANCELED", *["SKIPPED"] * 5]
    assert len(outcome.records) == 1


def test_a_world_that_does_not_catch_up_fails_the_step(robot):
    def no_news():
        robot.world.step = -1

    robot.after[("pick", "Mug|1")] = no_news
    outcome = run(robot, ("pick_up", "mug"))
    # The skill reported step -1, nothing newer than step 8 exists.
    assert outcome.records[0].steps[2].error_code == RunTaskError.WORLD_STATE_STALE


@pytest.mark.parametrize(
    ("goals", "code"),
    [
        ([], RunTaskError.INVALID_GOAL),
        ([("store", "mug", "drawer"), ("juggle", "pen")], RunTaskError.UNSUPPORTED_GOAL),
        ([("pick_up", "unicorn")], RunTaskError.UNKNOWN_OBJECT_TYPE),
    ],
)
def test_impossible_tasks_are_refused_before_anything_moves(robot, goals, code):
    outcome = run(robot, *goals)
    assert outcome.code == code
    assert outcome.records == []
    assert robot.calls == []


def test_an_unplannable_sub_goal_is_reported(robot):
    outcome = run(robot, ("pick_up", "vase"))
    assert outcome.code == RunTaskError.NO_PLAN
    assert not outcome.plan_success
    assert "no instance is known" in outcome.message


def test_every_change_of_a_step_is_reported(robot):
    seen = []
    run(robot, ("pick_up", "mug"), on_step=lambda r: seen.append((r.step_id, r.status.name)))
    assert seen == [(n, s) for n in (1, 2, 3) for s in ("RUNNING", "SUCCEEDED")]


def test_waiter_wakes_on_notify_cancel_deadline_and_timeout():
    waiter = TaskWaiter()
    waiter.start(0)
    assert waiter.wait(lambda: False, 0.01) is False
    flag = threading.Event()
    threading.Thread(target=lambda: (flag.set(), waiter.notify())).start()
    assert waiter.wait(flag.is_set, 30)
    threading.Thread(target=waiter.cancel).start()
    with pytest.raises(Interrupted, match="canceled"):
        waiter.wait(lambda: False, 30)
    assert waiter.wait(lambda: False, 0.01, interruptible=False) is False
    waiter.start(0.02)
    with pytest.raises(Interrupted, match="time limit"):
        waiter.wait(lambda: False, 30)


def test_state_verbs_are_carried_out(robot):
    outcome = run(
        robot,
        ("turn_on", "floor lamp"),
        ("turn_off", "floor lamp"),
        ("slice", "apple"),
        ("look_at", "mug"),
    )
    assert outcome.execution_success, outcome.message
    assert [call for call in robot.calls if call[0] != "navigate"] == [
        ("set_toggled", "Lamp|1", True, True),
        ("set_toggled", "Lamp|1", False, True),
        ("slice", "Apple|1", True),
        ("look_at", "Mug|1"),
    ]


@pytest.mark.parametrize(
    ("skill", "goal", "words", "code"),
    [
        ("set_toggled", ("turn_on", "floor lamp"), "still off", SetToggledError.NO_EFFECT),
        ("slice", ("slice", "apple"), "still whole", SliceError.NO_EFFECT),
    ],
)
def test_a_state_that_does_not_change_is_a_failure(robot, skill, goal, words, code):
    robot.no_effect.add(skill)
    step = run(robot, goal).records[0].steps[2]
    assert (step.status, step.error_code) == (StepStatus.FAILED, code)
    assert words in step.error_msg
