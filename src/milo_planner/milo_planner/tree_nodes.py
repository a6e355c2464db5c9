"""The nodes of a behaviour tree that decides: conditions, actions and selectors that grow.

All nodes of a tree share one Situation: conditions read the world from it, the action that runs
leaves its request in it. The engine is py_trees.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Selector
from py_trees.composites import Sequence as TreeSequence
from py_trees.decorators import Decorator

from milo_core.actions import Action
from milo_core.world_model import WorldModel
from milo_planner.agenda import AgendaItem, AgendaStep, Verb
from milo_planner.backchain import Fact, outcome
from milo_planner.policy import NodeStatus, PolicyContext, TreeNodeRecord, TreeRecord
from milo_planner.tree_order import Precedence, shuts_in

_STATUSES: Mapping[Status, NodeStatus] = {
    Status.INVALID: NodeStatus.INVALID,
    Status.RUNNING: NodeStatus.RUNNING,
    Status.SUCCESS: NodeStatus.SUCCESS,
    Status.FAILURE: NodeStatus.FAILURE,
}


@dataclass
class Situation:
    """What the nodes of one tree share; made anew for each tick, except what was learned."""

    context: PolicyContext
    precedence: Precedence = field(default_factory=Precedence)
    world: WorldModel = field(default_factory=WorldModel)
    agenda: Sequence[AgendaItem] = ()
    order: Sequence[AgendaItem] = ()
    """The agenda as the root takes it."""
    current: AgendaItem | None = None
    """The item whose subtree is ticked."""
    step: AgendaStep | None = None
    """What the running action asks for."""
    conflict: tuple[AgendaItem, AgendaItem] | None = None
    """The running action belongs to the first item and would undo the second, which is true."""
    _candidates: dict[int, Sequence[tuple[str, str | None]]] = field(default_factory=dict)

    def renew(
        self, agenda: Sequence[AgendaItem], order: Sequence[AgendaItem], world: WorldModel
    ) -> None:
        """Prepare a tick."""
        self.agenda, self.order, self.world = agenda, order, world
        self.current = self.step = self.conflict = None
        self._candidates = {}

    def candidates(self, goal: int) -> Sequence[tuple[str, str | None]]:
        """Return the instances that may still serve a sub-goal, best first."""
        if goal not in self._candidates:
            self._candidates[goal] = self.context.candidates(goal)
        return self._candidates[goal]

    def objection(self, action: Action, arguments: Mapping[str, str]) -> str:
        """Return why an action is out of the question whatever else is done; empty: it isn't."""
        world, memory = self.world, self.context.memory
        unknown = next((id_ for id_ in arguments.values() if id_ not in world.objects), None)
        if unknown is not None:
            return f"{unknown} is not known"
        for condition in action.unmet(world, arguments, self.context.physics):
            if condition.affordance:
                return condition.sentence.format_map(arguments)
        object_id, receptacle_id = arguments["object"], arguments.get("receptacle")
        if receptacle_id is not None and (object_id, receptacle_id) in memory.no_room:
            return f"no room for {object_id} was found at {receptacle_id}"
        if action.skill is not None and (receptacle_id or object_id) in memory.unreachable:
            return f"{receptacle_id or object_id} can't be reached"
        kept = next((i for i in self._undone(action, arguments) if i.verb is Verb.STORE), None)
        return f"it would undo '{kept}'" if kept is not None else ""

    def threatened(self, action: Action, arguments: Mapping[str, str]) -> AgendaItem | None:
        """Return an item before the current one that is true and that an action would undo."""
        undone = set(self._undone(action, arguments))
        for item in self.order:
            if item == self.current:
                return None
            if item in undone:
                return item
        return None

    def may_precede(self, first: AgendaItem, second: AgendaItem) -> bool:
        """Return whether bringing about `first` before `second` can help.

        It can't where the second would have to undo the first again, as what is in a container
        undoes the closing of it.
        """
        return self.precedence.allows(first, second) and not shuts_in(first, second, self.world)

    def _undone(self, action: Action, arguments: Mapping[str, str]) -> Iterator[AgendaItem]:
        for item in self.agenda:
            facts = (Fact(*fact) for fact in item.facts())
            if (
                item != self.current
                and any(self._ends(action, arguments, fact) for fact in facts)
                and item.holds(self.world)
            ):
                yield item

    def _ends(self, action: Action, arguments: Mapping[str, str], fact: Fact) -> bool:
        physics = self.context.physics
        if outcome(action, arguments, fact, physics) is False:
            return True
        if fact.predicate != "near" or self.context.memory.standing_at in fact.ids:
            return False
        # What is near only because it is in sight is so no longer when it is shut in.
        parents = self.world.objects[fact.ids[0]].parent_receptacles if self.knows(fact) else ()
        shut = (Fact("closed", (parent,)) for parent in parents)
        return any(outcome(action, arguments, closed, physics) for closed in shut)

    def knows(self, fact: Fact) -> bool:
        """Return whether everything that a fact is about is known."""
        return self.world.objects.keys() >= set(fact.ids)


class Check(Behaviour):
    """A condition: succeeds while its test finds nothing wrong.

    Args:
        name: of the node, a question.
        test: returns what is wrong, a clause; empty: nothing.
    """

    def __init__(self, name: str, test: Callable[[], str]) -> None:
        super().__init__(name)
        self._test = test

    def update(self) -> Status:
        """Evaluate the test."""
        self.feedback_message = self._test()
        return Status.FAILURE if self.feedback_message else Status.SUCCESS


class Permit(Behaviour):
    """A condition: nothing speaks against an action, whatever has to be done before it.

    It fails where the action is out of the question or would undo what can't be had otherwise. It
    runs, so that the tick ends, where the order of the items has to change first.
    """

    def __init__(self, action: Action, arguments: Mapping[str, str], situation: Situation) -> None:
        super().__init__(f"may it {action_name(action, arguments)}?")
        self._action, self._arguments, self._situation = action, arguments, situation

    def update(self) -> Status:
        """Look for objections, then for items that would be undone."""
        situation = self._situation
        assert situation.current is not None
        self.feedback_message = situation.objection(self._action, self._arguments)
        if self.feedback_message:
            return Status.FAILURE
        threatened = situation.threatened(self._action, self._arguments)
        if threatened is None:
            return Status.SUCCESS
        self.feedback_message = f"it would undo '{threatened}'"
        if not situation.may_precede(situation.current, threatened):
            return Status.FAILURE
        situation.conflict = (situation.current, threatened)
        return Status.RUNNING


class Act(Behaviour):
    """An action: asks for its step and runs until a later tick finds its effect true.

    It fails where its preconditions don't hold, and where it has been done without the effect that
    was wanted.
    """

    def __init__(self, action: Action, arguments: Mapping[str, str], situation: Situation) -> None:
        super().__init__(action_name(action, arguments))
        self._action, self._arguments, self._situation = action, arguments, situation

    def update(self) -> Status:
        """Ask for the step."""
        situation, action, arguments = self._situation, self._action, self._arguments
        assert situation.current is not None
        self.feedback_message = ""
        unmet = action.unmet(situation.world, arguments, situation.context.physics)
        if unmet:
            self.feedback_message = unmet[0].sentence.format_map(arguments)
            return Status.FAILURE
        if action.accomplished(situation.world, arguments):
            self.feedback_message = "it was done without the effect that is needed"
            return Status.FAILURE
        situation.step = AgendaStep(action.name, dict(arguments), situation.current.goal)
        return Status.RUNNING


def action_name(action: Action, arguments: Mapping[str, str]) -> str:
    """Return what people call a ground action."""
    return f"{action.name.replace('_', ' ')} {', '.join(arguments.values())}"


class GrowingSelector(Selector):
    """A selector without memory that makes its next alternative when all others have failed.

    Args:
        name: of the node.
        children: what is there from the beginning.
        grow: returns another alternative; None: there is none.
    """

    def __init__(
        self, name: str, children: Sequence[Behaviour], grow: Callable[[], Behaviour | None]
    ) -> None:
        super().__init__(name, memory=False, children=list(children))
        self._grow = grow

    def tick(self) -> Iterator[Behaviour]:
        """Tick the children, old and new, up to the first that does not fail."""
        for node in super().tick():
            if node is not self:
                yield node
        while self.status is Status.FAILURE and (child := self._grow()) is not None:
            self.add_child(child)
            yield from child.tick()
            self.current_child = child
            if child.status is Status.RUNNING:
                self.status = Status.RUNNING
            elif child.status is Status.SUCCESS:
                self.stop(Status.SUCCESS)
        yield self


class ItemSelector(GrowingSelector):
    """One item of the agenda: it is true, or one of its instances is made to serve it."""

    def __init__(
        self,
        item: AgendaItem,
        situation: Situation,
        children: Sequence[Behaviour],
        grow: Callable[[], Behaviour | None],
    ) -> None:
        super().__init__(str(item), children, grow)
        self.item = item
        self.pursued = item
        """The item on the instances that were worked on last."""
        self._situation = situation

    def tick(self) -> Iterator[Behaviour]:
        """Tick with this item as the current one, the instances worked on last first.

        Others could look possible again only because of what was done for those.
        """
        self._situation.current = self.item
        self.children.sort(
            key=lambda c: isinstance(c, CandidateSequence) and 1 + (c.candidate != self.pursued)
        )
        for node in super().tick():
            running = node is self and self.status is Status.RUNNING
            if running and isinstance(self.current_child, CandidateSequence):
                self.pursued = self.current_child.candidate
            yield node


class CandidateSequence(TreeSequence):
    """Brings an item about on certain instances."""

    def __init__(self, candidate: AgendaItem, children: Sequence[Behaviour]) -> None:
        super().__init__(f"with {candidate}", memory=False, children=list(children))
        self.candidate = candidate


def failure_of(node: Behaviour) -> str:
    """Return why a node failed: what the first alternative that fits the case ran into."""
    failed = [child for child in node.children if child.status is Status.FAILURE]
    alternatives = [child for child in failed if not isinstance(child, Check)]
    if isinstance(node, Selector) and alternatives:
        return failure_of(_telling(alternatives))
    if failed:
        return failure_of(failed[0])
    return node.feedback_message or f"nothing brings about '{node.name}'"


def _telling(alternatives: Sequence[Behaviour]) -> Behaviour:
    """Return the alternative that was tried first, if it was not out of the question."""
    fitting = [a for a in alternatives if a.children and a.children[0].status is not Status.FAILURE]
    return (fitting or alternatives)[0]


def snapshot(root: Behaviour, tick: int) -> TreeRecord:
    """Return the record of a tree as the last tick left it."""
    nodes: list[TreeNodeRecord] = []

    def visit(node: Behaviour, parent: int) -> None:
        index = len(nodes)
        status = _STATUSES[node.status]
        feedback = node.feedback_message if status is not NodeStatus.INVALID else ""
        nodes.append(TreeNodeRecord(parent, node.name, _kind(node), status, feedback))
        for child in node.children:
            visit(child, index)

    visit(root, -1)
    return TreeRecord(tick, tuple(nodes))


def _kind(node: Behaviour) -> str:
    if isinstance(node, TreeSequence):
        return "sequence"
    if isinstance(node, Selector):
        return "selector"
    if isinstance(node, Decorator):
        return "decorator"
    return "condition" if isinstance(node, Check | Permit) else "action"
