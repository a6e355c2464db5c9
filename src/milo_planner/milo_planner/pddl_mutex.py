"""Goals that can never be true at the same time, found without search.

Pairs of literals that some sequence of actions might make true together are collected as in the
heuristic h2 (Haslum and Geffner, AIPS 2000). A pair that is not among them is impossible; engines
that search for a plan of growing length would not notice.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations, product

from milo_planner.pddl_task import Atom, Condition, Every, Fact, GroundTask, Some, facts_of

_CASES = 16
"""An action's alternatives are told apart up to this number."""


def exclusive_goals(task: GroundTask) -> tuple[Atom, Atom] | None:
    """Return two goals that exclude each other; None: none are known to."""
    literals = _Literals(task)
    together = literals.together()
    for first, second in combinations(task.goals, 2):
        if not together[literals.of(first)] >> literals.of(second) & 1:
            return first, second
    return None


class _Literals:
    """Facts and their opposites as numbers, sets of them as bits."""

    def __init__(self, task: GroundTask) -> None:
        self._task = task
        facts = [goal.fact for goal in task.goals]
        for action in task.actions:
            facts += [*action.changes, *facts_of(action.condition)]
        self._index: Mapping[Fact, int] = {
            fact: number for number, fact in enumerate(dict.fromkeys(facts))
        }

    def of(self, atom: Atom) -> int:
        """Return the number of a literal."""
        return 2 * self._index[atom.fact] + atom.value

    def together(self) -> list[int]:
        """Return for each literal the set of those that may be true together with it."""
        initial = sum(1 << self.of(Atom(f, f in self._task.initial)) for f in self._index)
        count = 2 * len(self._index)
        together = [initial if initial >> literal & 1 else 0 for literal in range(count)]
        rules = list(self._rules())
        before: list[int] = []
        while together != before:
            before = together.copy()
            for needs, adds, affected in rules:
                self._apply(needs, adds, affected, together)
        return together

    @staticmethod
    def _apply(needs: int, adds: int, affected: int, together: list[int]) -> None:
        stays = -1
        for literal in _members(needs):
            stays &= together[literal]
        if needs & ~stays:
            return
        if stays == -1:
            stays = sum(1 << i for i, others in enumerate(together) if others)
        # What lasts was possible before, with all that the action needs.
        stays &= ~affected
        for literal in _members(adds):
            together[literal] |= adds | stays
        for literal in _members(stays):
            together[literal] |= adds

    def _rules(self) -> Iterator[tuple[int, int, int]]:
        """Yield for each case of each action what it needs, brings about and touches."""
        for action in self._task.actions:
            adds = affected = 0
            for fact, value in action.changes.items():
                adds |= 1 << self.of(Atom(fact, value))
                affected |= 3 << 2 * self._index[fact]
            for needs in self._cases(action.condition):
                yield needs, adds, affected

    def _cases(self, condition: Condition) -> Iterator[int]:
        """Yield sets of literals one of which is needed; less is asked than it could be."""
        parts = condition.parts if isinstance(condition, Every) else (condition,)
        needs = 0
        choices: list[list[int]] = []
        cases = 1
        for part in parts:
            if isinstance(part, Atom):
                needs |= self._bit(part)
            elif isinstance(part, Some) and all(isinstance(p, Atom) for p in part.parts):
                cases *= len(part.parts)
                if cases <= _CASES:
                    choices.append([self._bit(p) for p in part.parts if isinstance(p, Atom)])
        for chosen in product(*choices):
            union = needs
            for bit in chosen:
                union |= bit
            yield union

    def _bit(self, atom: Atom) -> int:
        return 1 << self.of(atom)


def _members(bits: int) -> Iterator[int]:
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
