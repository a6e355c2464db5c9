"""The engine's actions that change what objects are like."""

from __future__ import annotations

from milo_sim import liquids, slicing, state_changes, temperature, toggling
from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action, Handler, Signature
from milo_sim.session import Session
from milo_sim.signatures import FORCE, OBJECT, Arguments, legacy, on_object, simple, target


def _toggle(on: bool) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        key = target(session, arguments)
        toggling.toggle(session.world, key, on, arguments["forceAction"])

    return run


def _slice(session: Session, arguments: Arguments) -> None:
    key = target(session, arguments)
    slicing.slice_object(session.world, key, arguments["forceAction"])


def _break(session: Session, arguments: Arguments) -> None:
    key = target(session, arguments)
    state_changes.break_object(session.world, key, arguments["forceAction"])


def _dirty(dirty: bool) -> Handler:
    def run(session: Session, arguments: Arguments) -> None:
        key = target(session, arguments)
        state_changes.set_dirty(session.world, key, dirty, arguments["forceAction"])

    return run


def _cook(session: Session, arguments: Arguments) -> None:
    state_changes.cook(session.world, target(session, arguments), arguments["forceAction"])


def _use_up(session: Session, arguments: Arguments) -> None:
    state_changes.use_up(session.world, target(session, arguments), arguments["forceAction"])


def _fill(session: Session, arguments: Arguments) -> None:
    key = target(session, arguments)
    liquids.fill(session.world, key, arguments["fillLiquid"], arguments["forceAction"])


def _empty(session: Session, arguments: Arguments) -> None:
    liquids.empty(session.world, target(session, arguments), arguments["forceAction"])


def _decay_time(session: Session, arguments: Arguments) -> None:
    temperature.set_decay_time(session.world, arguments["decayTime"], arguments.get("objectId"))


def _decay(on: bool) -> Handler:
    def run(session: Session, _arguments: Arguments) -> None:
        session.world.temperatures_decay = on

    return run


_DECAY_TIME = Parameter("decayTime", T.FLOAT)

STATE_ACTIONS: tuple[Action, ...] = (
    on_object("ToggleObjectOn", _toggle(True), FORCE),
    on_object("ToggleObjectOff", _toggle(False), FORCE),
    legacy("SliceObject", _slice),
    legacy("BreakObject", _break),
    legacy("DirtyObject", _dirty(True)),
    legacy("CleanObject", _dirty(False)),
    legacy("CookObject", _cook),
    legacy("UseUpObject", _use_up),
    legacy("FillObjectWithLiquid", _fill, Parameter("fillLiquid", T.TEXT, None)),
    legacy("EmptyLiquidFromObject", _empty),
    Action(
        "SetTemperatureDecayTime",
        (Signature(_decay_time, (_DECAY_TIME,)), Signature(_decay_time, (OBJECT, _DECAY_TIME))),
    ),
    simple("EnableTemperatureDecay", _decay(True)),
    simple("DisableTemperatureDecay", _decay(False)),
)
