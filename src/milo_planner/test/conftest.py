"""A kitchen in which the skills do what the action table says, unless a refusal was planted."""

import itertools

import pytest

from milo_core.actions import ACTIONS
from milo_core.error_codes import NavigateToError, PickError, PlaceError, SetOpenError
from milo_core.predicates import enclosing
from milo_core.world_model import ObjectBelief, WorldModel
from milo_planner.execution import SkillOutcome
from milo_planner.memory import BasePose


def belief(object_id, distance, **facts):
    """One object; its type is the part of its id before the bar."""
    return ObjectBelief(
        object_id,
        object_id.split("|")[0],
        (0, 0, 0),
        (0, 0, 0),
        (1, 1, 1),
        distance=distance,
        visible=False,
        **facts,
    )


def container(object_id, distance, **facts):
    facts = {"receptacle": True, "openable": True, "is_open": False, "openness": 0.0} | facts
    return belief(object_id, distance, **facts)


def kitchen():
    """A mug in a closed cabinet, an apple and a book on the counter, three drawers, a fridge."""
    rows = [
        belief("Mug|1", 1.0, pickupable=True, parent_receptacles=("Cabinet|1",)),
        belief("Apple|1", 1.2, pickupable=True, parent_receptacles=("CounterTop|1",)),
        belief("Book|1", 1.4, pickupable=True, parent_receptacles=("CounterTop|1",)),
        belief("Book|2", 4.0, pickupable=True, parent_receptacles=("DiningTable|1",)),
        container("Cabinet|1", 1.0),
        container("Drawer|1", 2.0),
        container("Drawer|2", 3.0),
        container("Drawer|3", 4.0),
        container("Fridge|1", 5.0),
        container("Microwave|1", 3.0, toggleable=True, is_toggled=True),
        belief("Plate|1", 1.0, receptacle=True, pickupable=True, parent_receptacles=("Cabinet|1",)),
        belief("CounterTop|1", 1.3, receptacle=True),
        belief("DiningTable|1", 4.0, receptacle=True),
        belief("Faucet|1", 2.0, toggleable=True, is_toggled=False),
    ]
    world = WorldModel(objects={row.object_id: row for row in rows}, step=5)
    for row in rows:
        for parent in row.parent_receptacles:
            world.objects[parent].receptacle_object_ids += (row.object_id,)
    return world


class SymbolicHouse:
    """Implements Skills and Observations on a WorldModel.

    `refusals` maps (skill, id) or (skill, id, receptacle) to a list of (code, message), taken one
    by one, or to one pair that stays. `before` maps a call's number to something that happens then.
    """

    def __init__(self, world=None):
        self.world = world or kitchen()
        self.calls = []
        self.refusals = {}
        self.before = {}
        self.poses = itertools.count()
        self.at = None

    def current(self, min_step):
        live = self.world.copy()
        for row in live:
            row.visible = row.object_id in self.reachable()
        return live

    def reachable(self):
        """What is in sight: what the robot stands at, and what lies in it if that is open."""
        if self.at is None:
            return set()
        seen = {self.at, *self.world.objects[self.at].parent_receptacles}
        for row in self.world:
            if self.at in row.parent_receptacles and enclosing(self.world, row.object_id) is None:
                seen.add(row.object_id)
        return seen

    def _do(self, action, skill, object_id, receptacle_id="", **arguments):
        happening = self.before.pop(len(self.calls), None)
        if happening is not None:
            happening(self.world)
        self.calls.append((action, object_id, *([receptacle_id] if receptacle_id else [])))
        self.world.step += 1
        planted = self._planted(skill, object_id, receptacle_id)
        if planted is not None:
            return self._outcome(*planted)
        roles = {"object": object_id} | ({"receptacle": receptacle_id} if receptacle_id else {})
        refused = self._physics(action, roles)
        if refused is not None:
            return self._outcome(refused, f"{action} is not possible: {refused.name}.")
        if action == "navigate":
            self.at = object_id
        else:
            ACTIONS[action].apply(self.world, roles, "physical")
        return self._outcome()

    def _planted(self, skill, object_id, receptacle_id):
        for key in ((skill, object_id, receptacle_id), (skill, object_id), (skill, receptacle_id)):
            found = self.refusals.get(key)
            if isinstance(found, list):
                if found:
                    return found.pop(0)
            elif found is not None:
                return found
        return None

    def _physics(self, action, roles):
        """Return the code of what the world itself refuses; None: nothing."""
        world, object_id = self.world, roles["object"]
        near = self.reachable()
        if action == "navigate":
            shut = enclosing(world, object_id) is not None
            return NavigateToError.UNREACHABLE if shut or world.held_id == object_id else None
        if action == "pickup":
            if world.held_id is not None:
                return PickError.HAND_FULL
            if enclosing(world, object_id) is not None:
                return PickError.CONTAINER_CLOSED
            return None if object_id in near else PickError.NOT_VISIBLE
        if action == "place":
            receptacle = world.objects[roles["receptacle"]]
            if world.held_id != object_id:
                return PlaceError.HAND_EMPTY
            if receptacle.is_open is False:
                return PlaceError.RECEPTACLE_CLOSED
            return None if receptacle.object_id in near else PlaceError.NOT_VISIBLE
        if action == "open" and world.objects[object_id].is_toggled and object_id in near:
            return SetOpenError.TARGET_ON
        return None if object_id in near else SetOpenError.NOT_VISIBLE

    def _outcome(self, code=0, message=""):
        pose = BasePose(float(next(self.poses)), 0.0, 0.0)
        return SkillOutcome(int(code), message, self.world.step, pose=pose)

    def navigate(self, object_id, mode, options):
        self.options = options
        return self._do("navigate", "navigate", object_id)

    def pick(self, object_id, force):
        assert not force
        return self._do("pickup", "pick", object_id)

    def place(self, object_id, receptacle_id, force, any_type, turn):
        assert any_type
        self.turn = turn
        return self._do("place", "place", object_id, receptacle_id)

    def set_open(self, object_id, openness, force):
        return self._do("open" if openness else "close", "set_open", object_id)

    def set_toggled(self, object_id, toggled, force):
        return self._do("toggle_on" if toggled else "toggle_off", "set_toggled", object_id)

    def slice(self, object_id, force):
        return self._do("slice", "slice", object_id)

    def release(self, object_id, force):
        return self._do("put_down", "release", object_id)

    def look_at(self, object_id):
        return self._do("look", "look_at", object_id)


@pytest.fixture
def house_type():
    """The class, for tests that make several or change one."""
    return SymbolicHouse


@pytest.fixture
def house():
    return SymbolicHouse()
