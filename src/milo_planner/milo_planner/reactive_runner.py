"""Runs a task step by step: observe, decide, act, recover, and leave the room tidy."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from milo_core.error_codes import EngineError, RunTaskError
from milo_core.profiles import Profile
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep, Duty, Verb, unmet_items
from milo_planner.agenda_maker import AgendaMaker
from milo_planner.execution import (
    Executor,
    Interrupted,
    Observations,
    Skills,
    StaleWorldError,
    StepOptions,
    StepRecord,
)
from milo_planner.memory import Memory
from milo_planner.planning import Planner, PlanningError, PlanningResult
from milo_planner.policy import Decision, Policy, PolicyContext, TreeRecord
from milo_planner.recovery import (
    THOROUGH,
    RecoveryKind,
    RecoveryLimits,
    RecoveryPolicy,
    RecoveryRecord,
)
from milo_planner.task_records import OutcomeStatus, SubGoalOutcome, SubGoalRecord, TaskOutcome

STEP_LIMIT = 400
"""Steps that are sent to the driver at most, if the task says nothing else."""
_DECISIONS_PER_STEP = 4
"""How often the agent may decide without acting, on average, before it counts as stuck."""
_VIEW_VERBS = (Verb.FIND, Verb.LOOK_AT)


@dataclass
class ReactiveRunner:
    """Runs tasks for profiles and planners that observe while they act."""

    planner: Planner
    skills: Skills
    observations: Observations
    profile: Profile
    on_step: Callable[[StepRecord], None] = lambda _: None
    on_plan: Callable[[SubGoalRecord], None] = lambda _: None
    on_tree: Callable[[TreeRecord], None] = lambda _: None
    max_steps: int = 0
    """0: STEP_LIMIT."""
    seed: int = 0

    def run(self, goals: Sequence[SubGoal], min_step: int) -> TaskOutcome:
        """Attempt the sub-goals as one task; never raises for what can go wrong with it."""
        executor = Executor(
            self.skills, self.observations, self.profile, self.on_step, engine_step=min_step
        )
        task: _Task | None = None
        try:
            if not goals:
                raise PlanningError("The task has no goals; give at least one.")
            world = self.observations.current(min_step)
            for goal in goals:
                self.planner.check_reactive(goal, world)
            task = _Task(self, executor, goals, world)
            task.work()
            code, message = task.maker.verdict()
        except PlanningError as refusal:
            code, message = refusal.code, str(refusal)
        except StaleWorldError as stale:
            code, message = RunTaskError.WORLD_STATE_STALE, str(stale)
        except Interrupted as interruption:
            code, message = interruption.code, str(interruption)
        except _Ended as end:
            code, message = end.code, str(end)
        if task is None:
            return TaskOutcome([], int(code), message, executor.engine_step)
        return TaskOutcome(
            task.records,
            int(code),
            message,
            executor.engine_step,
            recoveries=task.recoveries,
            outcomes=task.settle(),
            tree=task.policy.tree(),
        )


class _Ended(Exception):
    """The task is over although its goals are open."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass
class _Task:
    """One task under way."""

    runner: ReactiveRunner
    executor: Executor
    goals: Sequence[SubGoal]
    initial: WorldModel
    recoveries: list[RecoveryRecord] = field(default_factory=list)
    _planned: set[int] = field(default_factory=set)
    """Sub-goals that had a step in a plan."""
    _sent: int = 0
    _refused: bool = False
    """The last step was not done."""

    def __post_init__(self) -> None:
        runner = self.runner
        self.memory = Memory()
        self.maker = AgendaMaker(self.goals, self.initial, self.memory, self.recoveries.append)
        limits = THOROUGH if runner.planner.thorough else RecoveryLimits()
        self.recovery = RecoveryPolicy(self.memory, limits)
        self.policy: Policy = runner.planner.policy(
            PolicyContext(
                tuple(self.goals),
                self.memory,
                runner.profile.physics,
                self.maker.candidates,
                runner.seed,
            )
        )
        name = runner.planner.name
        self.records = [
            SubGoalRecord(index, PlanningResult(name, goal, (), (), (), 0.0))
            for index, goal in enumerate(self.goals)
        ]

    def work(self) -> None:
        """Decide and act until nothing is left to do."""
        limit = self.runner.max_steps or STEP_LIMIT
        for _ in range(limit * _DECISIONS_PER_STEP):
            live = self.runner.observations.current(self.executor.engine_step)
            agenda, belief = self.maker.agenda(live), self.memory.belief(live)
            decision = self._decide(agenda, belief)
            if decision.step is not None:
                if self._sent >= limit:
                    text = f"The task used up its {limit} steps."
                    raise _Ended(RunTaskError.STEP_LIMIT, text)
                self._act(decision.step, agenda, live, belief)
            elif not self._unstick(decision, agenda, belief):
                return
        text = "The agent went on deciding without getting anywhere."
        raise _Ended(RunTaskError.NO_PLAN, text)

    def settle(self) -> list[SubGoalOutcome]:
        """Return how each sub-goal was left, and note which ones never got the plan they needed."""
        outcomes = self.maker.outcomes()
        for index, outcome in enumerate(outcomes):
            if index not in self._planned and outcome.status is not OutcomeStatus.HELD_ALREADY:
                text = f"No plan was made for '{self.goals[index]}'."
                self.records[index].deny(outcome.error_msg or text)
        return outcomes

    def _decide(self, agenda: Sequence[AgendaItem], belief: WorldModel) -> Decision:
        begun = time.perf_counter()
        decision = self.policy.decide(agenda, belief)
        duration = time.perf_counter() - begun
        goal = decision.step.goal if decision.step is not None else 0
        record = self.records[goal]
        record.expect(decision.plan, duration)
        self._planned.update(step.goal for step in decision.plan)
        # After a refusal another plan is what was asked for; else the world has changed by itself.
        if decision.replanned and not self._refused:
            record.replans += 1
            text = f"The plan was made anew: {decision.replanned}."
            self.recoveries.append(RecoveryRecord(goal, RecoveryKind.REPLAN, text))
        if decision.step is not None:
            self.runner.on_plan(record)
        tree = self.policy.tree()
        if tree is not None:
            self.runner.on_tree(tree)
        return decision

    def _unstick(
        self, decision: Decision, agenda: Sequence[AgendaItem], belief: WorldModel
    ) -> bool:
        """Give up on what no step is known for; False: there is nothing left to do."""
        unmet = unmet_items(agenda, belief)
        if not self.policy.recovers or not unmet:
            return False
        culprit = decision.culprit or unmet[0]
        self.maker.refuse(culprit, decision.stuck or f"No step towards '{culprit}' is known.")
        return True

    # -- acting ------------------------------------------------------------------------------

    def _act(
        self,
        step: AgendaStep,
        agenda: Sequence[AgendaItem],
        live: WorldModel,
        belief: WorldModel,
    ) -> None:
        record = StepRecord(
            step_id=len(self.records[step.goal].steps) + 1,
            sub_goal=step.goal,
            action=step.action,
            object=step.arguments["object"],
            receptacle=step.arguments.get("receptacle", ""),
            options=self._options(step, agenda),
        )
        self.records[step.goal].steps.append(record)
        self.maker.attempted(step.goal)
        tidying = _is_tidying(step, unmet_items(agenda, belief))
        done = self.executor.execute(record, belief)
        if self.executor.interrupted is not None:
            raise self.executor.interrupted
        if record.error_code in set(EngineError) | {
            RunTaskError.WORLD_STATE_STALE,
            RunTaskError.DRIVER_UNAVAILABLE,
        }:
            raise _Ended(record.error_code, record.error_msg)
        self._remember(record, live, done)
        self._refused = not done
        if not done and self.policy.recovers:
            self.recoveries.append(self.recovery.respond(record, tidying=tidying))

    def _options(self, step: AgendaStep, agenda: Sequence[AgendaItem]) -> StepOptions:
        memory = self.memory
        object_id = step.arguments["object"]
        if step.action == "place":
            pair = (object_id, step.arguments["receptacle"])
            return StepOptions(turn=memory.turns.get(pair, 0.0))
        if step.action != "navigate":
            return StepOptions()
        item = self._item_about(object_id, step.goal, agenda)
        poses = memory.excluded_poses.get((object_id, _action_at(object_id, item)), ())
        return StepOptions(purpose=_purpose(object_id, item), excluded_poses=tuple(poses))

    def _item_about(
        self, object_id: str, goal: int, agenda: Sequence[AgendaItem]
    ) -> AgendaItem | None:
        """Return the item that concerns an instance, also one that a policy chose by itself."""
        items = [item for item in agenda if item.goal == goal]
        found = next((i for i in items if object_id in (i.object_id, i.target_id)), None)
        bound = next((i for i in items if i.duty is Duty.GOAL), None)
        if found is not None or bound is None:
            return found
        pairs = (pair for pair in self.maker.candidates(goal) if object_id in pair)
        pair = next(pairs, None)
        return None if pair is None else AgendaItem(goal, bound.verb, *pair)

    def _remember(self, record: StepRecord, before: WorldModel, done: bool) -> None:
        """Take in what a step changed."""
        memory, outcome = self.memory, record.outcome
        if outcome is None:
            return
        self._sent += 1
        live = self.runner.observations.current(self.executor.engine_step)
        memory.observe(live)
        if record.action == "navigate":
            reached = record.object_id if done and not outcome.viewing else None
            memory.moved(reached, outcome.pose)
            memory.poses[record.sub_goal] = memory.poses.get(record.sub_goal, 0) + 1
        if not done:
            return
        if record.action in ("navigate", "look"):
            memory.seen.add(record.object_id)
        elif record.action == "pickup":
            parents = before.objects[record.object_id].parent_receptacles
            memory.origin.setdefault(record.object_id, parents)
        elif record.action == "open":
            if before.objects[record.object_id].is_open is not True:
                memory.opened.setdefault(record.object_id, record.sub_goal)
        elif record.action == "close":
            memory.opened.pop(record.object_id, None)


def _is_tidying(step: AgendaStep, unmet: Sequence[AgendaItem]) -> bool:
    """Return whether a step is about something that is only to be closed again."""
    object_id = step.arguments["object"]
    about = [item for item in unmet if object_id in (item.object_id, item.target_id)]
    if not about:
        return step.action == "close"
    return all(item.duty is Duty.CLOSE for item in about)


def _purpose(object_id: str, item: AgendaItem | None) -> str:
    """Return the purpose of navigating to an instance, as in NavigateTo.action."""
    if item is None or object_id not in (item.object_id, item.target_id):
        return ""
    if item.verb in _VIEW_VERBS:
        return "view"
    return "place" if item.verb is Verb.STORE and object_id == item.target_id else ""


def _action_at(object_id: str, item: AgendaItem | None) -> str:
    """Return what the robot navigates to an instance for."""
    if item is None:
        return "open"
    if item.duty is Duty.CLOSE:
        return "close"
    if object_id == item.target_id:
        return "place"
    handled = {
        Verb.PICK_UP: "pickup",
        Verb.STORE: "pickup",
        Verb.DELIVER: "pickup",
        Verb.CLOSE: "close",
        Verb.TURN_ON: "toggle_on",
        Verb.TURN_OFF: "toggle_off",
        Verb.SLICE: "slice",
    }
    return handled.get(item.verb, "open")
