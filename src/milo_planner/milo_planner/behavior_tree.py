"""The planner `behavior_tree`: trees that are ticked while the robot acts. The engine is py_trees.

In profiles with static plans the steps are those of the rule-based templates, and a tree runs them.
In reactive profiles a tree is ticked before every step against what is observed.
"""

from collections.abc import Callable, Sequence

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Sequence as TreeSequence
from py_trees.trees import BehaviourTree

from milo_core.plan import PlannedStep
from milo_core.tasks import SubGoal
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, Duty, unmet_items
from milo_planner.planning import Planner
from milo_planner.policy import Decision, Policy, PolicyContext, TreeRecord
from milo_planner.rule_based import RuleBasedPlanner
from milo_planner.tree_builder import TreeBuilder
from milo_planner.tree_nodes import ItemSelector, Situation, failure_of, snapshot
from milo_planner.tree_order import arrange


class _StepLeaf(Behaviour):
    """One step of a static plan: a tick announces it, the next one runs it."""

    def __init__(self, step: PlannedStep, run: Callable[[], bool]) -> None:
        super().__init__(str(step))
        self._run = run
        self._announced = False

    def update(self) -> Status:
        if not self._announced:
            # While the step runs, the tree shows which one it is.
            self._announced = True
            return Status.RUNNING
        if self._run():
            return Status.SUCCESS
        self.feedback_message = "the step did not succeed"
        return Status.FAILURE


class BehaviorTreePlanner(Planner):
    """Static plans of the rule-based templates run by a tree; else one tree for the whole task."""

    name = "behavior_tree"

    def __init__(self) -> None:
        self._templates = RuleBasedPlanner()
        self._tree: BehaviourTree | None = None

    def steps(self, sub_goal: SubGoal, world: WorldModel) -> list[PlannedStep]:
        """Return the steps of the rule-based template; see Planner.steps."""
        return self._templates.steps(sub_goal, world)

    def drive(self, steps: Sequence[PlannedStep], run_step: Callable[[int], bool]) -> None:
        """Tick a sequence of the steps until it has succeeded or failed; see Planner.drive."""

        def runner(index: int) -> Callable[[], bool]:
            return lambda: run_step(index)

        leaves = [_StepLeaf(step, runner(index)) for index, step in enumerate(steps)]
        root = TreeSequence("plan", memory=True, children=leaves)
        tree = self._tree = BehaviourTree(root)
        tree.tick()
        while root.status is Status.RUNNING:
            tree.tick()

    def tree(self) -> TreeRecord | None:
        """Return the tree of the last static plan, also while a step of it runs."""
        return snapshot(self._tree.root, self._tree.count) if self._tree is not None else None

    def policy(self, context: PolicyContext) -> Policy:
        """Return a policy that ticks a tree at every decision."""
        return TreePolicy(context)


class TreePolicy(Policy):
    """Decides by ticking a tree: conditions skip what is true, the running action is the step.

    The tree is kept as long as the goals are the same ones on the same instances; duties come and
    go as branches of its root. When an action would undo an item that was brought about before it,
    its own item is moved before that one, once; where both can't be had the action fails.
    """

    def __init__(self, context: PolicyContext) -> None:
        self._context = context
        self._goals: frozenset[AgendaItem] | None = None
        self._start()

    def _start(self) -> None:
        self._situation = Situation(self._context)
        self._builder = TreeBuilder(self._situation)
        self._root = TreeSequence("agenda", memory=False)
        self._tree = BehaviourTree(self._root)
        self._items: dict[AgendaItem, ItemSelector] = {}

    def decide(self, agenda: Sequence[AgendaItem], world: WorldModel) -> Decision:
        """Tick the tree; see Policy.decide."""
        goals = frozenset(item for item in agenda if item.duty is Duty.GOAL)
        if goals != self._goals:
            self._goals = goals
            self._start()
        self._tick(agenda, world)
        step = self._situation.step
        if step is not None:
            return Decision(step=step, plan=(step,))
        if self._root.status is Status.SUCCESS or not unmet_items(agenda, world):
            return Decision()
        failed = next(c for c in self._items.values() if c.status is Status.FAILURE)
        text = f"'{failed.item}' can't be brought about: {failure_of(failed)}."
        return Decision(stuck=text, culprit=failed.item)

    def tree(self) -> TreeRecord | None:
        """Return the tree after the last decision; None: nothing was decided yet."""
        return snapshot(self._root, self._tree.count) if self._goals is not None else None

    def _tick(self, agenda: Sequence[AgendaItem], world: WorldModel) -> None:
        """Tick once, and again in another order if an action turns out to undo something."""
        situation = self._situation
        while True:
            pursued = {item: node.pursued for item, node in self._items.items()}
            order = arrange(agenda, world, pursued, situation.precedence)
            self._update_root(order)
            situation.renew(agenda, order, world)
            self._tree.tick()
            if situation.conflict is None:
                return
            situation.precedence.add(*situation.conflict)

    def _update_root(self, order: Sequence[AgendaItem]) -> None:
        """Have the root's children be the subtrees of the items, in order."""
        for item in [item for item in self._items if item not in order]:
            self._root.remove_child(self._items.pop(item))
        for item in order:
            if item not in self._items:
                self._items[item] = self._builder.item(item)
                self._root.add_child(self._items[item])
        self._root.children = [self._items[item] for item in order]
