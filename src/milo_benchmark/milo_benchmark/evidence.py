"""Collects the facts that the class of a failure depends on, from traces and the truth."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from milo_benchmark.records import OutcomeRecord, PlanRecord, StepRecord, VerdictRecord
from milo_core.actions import ACTIONS, Action, Physics, Precondition
from milo_core.failures import (
    CONDITION_OF_CODE,
    GoalFacts,
    StepFacts,
    StepTruth,
    UnmetCondition,
    class_of_step,
)
from milo_core.strict_goals import REACH
from milo_core.tasks import SubGoal
from milo_core.world_model import ObjectBelief, WorldModel

Truth = Callable[[int], WorldModel | None]
"""Engine step -> the simulator's state after it; None: not known."""
_KNOWING = frozenset({"locate", "navigate", "look"})
"""Actions that change where the agent is or what it knows: there is no harm in one too many."""


def _can_reach(obj: ObjectBelief) -> bool:
    return obj.visible is True or obj.distance <= REACH


def as_truth(world: WorldModel, physics: Physics) -> WorldModel:
    """Return the simulator's state with the facts that only an agent keeps books of.

    Everything has its place. Near is what can be reached from where the robot stands; where the
    skills are forced, as the published model has it, that is everything.
    """
    everything = set(world.objects)
    near = {obj.object_id for obj in world if physics == "published" or _can_reach(obj)}
    return replace(world, located=everything, near=near)


@dataclass(frozen=True)
class TruthReader:
    """Looks up what was true before the steps of one episode."""

    plans: Sequence[PlanRecord]
    """Engine steps as the bridge counts them."""
    reset_step: int
    physics: Physics
    truth: Truth

    def step_facts(self) -> tuple[StepFacts, ...]:
        """Return the facts of all steps.

        Of the steps that did not work, the last one of each sub-goal and class comes with the
        truth; no other one decides, and truth takes time to decode.
        """
        traced = list(self._trace())
        deciding = {
            (facts.sub_goal, class_of_step(facts)): index
            for index, (_, facts, _) in enumerate(traced)
            if facts.status in ("failed", "blocked")
        }
        return tuple(
            replace(facts, truth=self._truth_before(step, ends))
            if index in deciding.values()
            else facts
            for index, (step, facts, ends) in enumerate(traced)
        )

    def _trace(self) -> Iterator[tuple[StepRecord, StepFacts, Sequence[int]]]:
        """Yield each step with its facts and the engine steps at which those before it ended."""
        ends: tuple[int, ...] = (self.reset_step,)
        for plan in self.plans:
            for step in plan.steps:
                facts = StepFacts(
                    sub_goal=plan.sub_goal_index,
                    action=step.action,
                    status=step.status,
                    error_code=step.error_code,
                    believed_unmet=tuple(step.unmet_preconditions),
                )
                yield step, facts, ends
                if step.engine_step is not None:
                    ends = (*ends, step.engine_step)

    def _truth_before(self, step: StepRecord, ends: Sequence[int]) -> StepTruth | None:
        """Return the truth about a step that did not work, on the state it started from.

        Args:
            step: it, with its engine step if it was sent.
            ends: engine steps after those before it in the trace, the reset first.
        """
        action = ACTIONS.get(step.action)
        if action is None:
            return None
        # An agent may come back to a sub-goal, so the trace alone doesn't tell what came before;
        # and a skill that refuses by itself ends at the engine step at which it began.
        last = step.engine_step
        before = [e for e in ends if last is None or e <= last]
        before += [e for e in self._ends() if last is not None and e < last]
        reached = max(before, default=self.reset_step)
        world = self._world(reached)
        if world is None:
            return None
        names = {"object": step.object, "receptacle": step.receptacle}
        ids = {"object": step.object_id, "receptacle": step.receptacle_id}
        bound = {role.name: ids.get(role.name) or "" for role in action.roles}
        if not all(i in world.objects for i in bound.values()):
            known = (ids[role] or names[role] or "" for role in bound)
            return StepTruth(exists=all(world.instances(name) for name in known))
        return StepTruth(
            unmet=tuple(self._unmet(action, bound, step.error_code, world, reached)),
            accomplished=action.name not in _KNOWING and action.accomplished(world, bound),
        )

    def _ends(self) -> list[int]:
        """Return the engine steps at which the states between the steps can be seen, in order."""
        ends = {s.engine_step for plan in self.plans for s in plan.steps if s.engine_step}
        return sorted({self.reset_step, *ends})

    def _world(self, engine_step: int) -> WorldModel | None:
        world = self.truth(engine_step)
        return None if world is None else as_truth(world, self.physics)

    def _unmet(
        self,
        action: Action,
        bound: Mapping[str, str],
        code: int,
        world: WorldModel,
        engine_step: int,
    ) -> Iterator[UnmetCondition]:
        """Yield the conditions of the agent's rules, and that of the refusal, that are false."""
        modelled = {condition.name for condition in action.conditions(self.physics)}
        for condition in action.conditions("physical"):
            asked = condition.name in modelled or condition.name == CONDITION_OF_CODE.get(code)
            if asked and not condition.holds(world, bound):
                yield UnmetCondition(
                    name=condition.name,
                    affordance=condition.affordance,
                    held_earlier=self._held_before(condition, bound, engine_step),
                    modelled=condition.name in modelled,
                )

    def _held_before(
        self, condition: Precondition, bound: Mapping[str, str], engine_step: int
    ) -> bool:
        earlier = (self._world(end) for end in self._ends() if end < engine_step)
        return any(
            world is not None
            and all(i in world.objects for i in bound.values())
            and condition.holds(world, bound)
            for world in earlier
        )


def goal_facts(
    goals: Sequence[SubGoal],
    verdicts: Sequence[VerdictRecord],
    plans: Sequence[PlanRecord],
    outcomes: Sequence[OutcomeRecord],
    world: WorldModel | None,
) -> tuple[GoalFacts, ...]:
    """Return the facts of all sub-goals.

    Args:
        goals: of the task.
        verdicts: by the rule of the profile, one a goal; empty: not judged.
        plans: of the sub-goals that were attempted.
        outcomes: one a goal; empty: the agent gives none.
        world: the truth right after the reset; None: not known.
    """
    invalid = {plan.sub_goal_index for plan in plans if plan.status == "invalid"}

    def facts(index: int, goal: SubGoal) -> GoalFacts:
        outcome = outcomes[index] if index < len(outcomes) else None
        given_up = outcome is not None and outcome.status == "abandoned"
        names = [name for name in (goal.object, goal.target) if name]
        return GoalFacts(
            verb=goal.goal.strip().lower(),
            satisfied=index < len(verdicts) and verdicts[index].satisfied is True,
            abandoned_code=outcome.error_code if outcome is not None and given_up else 0,
            plan_invalid=index in invalid,
            exists=None if world is None else all(world.instances(name) for name in names),
        )

    return tuple(facts(index, goal) for index, goal in enumerate(goals))
