"""The engine's actions that choose the scene: packaged ones, files, and scenes given as a dict."""

from __future__ import annotations

from typing import Any

from milo_sim.arguments import ArgumentType as T
from milo_sim.arguments import Parameter
from milo_sim.dispatch import Action
from milo_sim.errors import ActionFailed, SceneFileError, UnknownSceneError
from milo_sim.scene import PROCEDURAL, own_scene_names, scene_names
from milo_sim.session import Session
from milo_sim.signatures import Arguments, simple

_PROCTHOR_FIELDS = frozenset({"proceduralParameters", "rooms", "walls"})


def _reset(session: Session, arguments: Arguments) -> None:
    name = arguments["sceneName"] or session.world.scene.scene_name
    try:
        session.load(name)
    except UnknownSceneError as error:
        raise ActionFailed(f"Scene {name!r} is not contained in milo_sim.") from error
    except SceneFileError as error:
        raise ActionFailed(str(error)) from error


def _scenes_in_build(_session: Session, _arguments: Arguments) -> list[str]:
    return [*(f"{name}_physics" for name in scene_names()), *own_scene_names()]


def _create_house(session: Session, arguments: Arguments) -> None:
    """Fill the empty scene, as ``Controller.reset`` does when it gets a dict."""
    from milo_sim.scene_file import scene_of

    if session.world.scene.source != PROCEDURAL:
        raise ActionFailed(f"CreateHouse needs the scene {PROCEDURAL}; reset to it first.")
    house: dict[str, Any] = arguments["house"]
    if house.keys() & _PROCTHOR_FIELDS:
        raise ActionFailed(
            "ProcTHOR houses are not supported by milo_sim: they are built from Unity's assets;"
            " give a scene as docs/scene.schema.json describes it.",
            error_code="InvalidArgument",
        )
    try:
        scene = scene_of(house, "The scene", PROCEDURAL, PROCEDURAL)
    except SceneFileError as error:
        raise ActionFailed(str(error), error_code="InvalidArgument") from error
    session.show(scene, session.world.settings)


SCENE_CHOICE_ACTIONS: tuple[Action, ...] = (
    simple("Reset", _reset, Parameter("sceneName", T.TEXT, ""), lenient=True),
    simple("GetScenesInBuild", _scenes_in_build, fast_emit=True),
    simple("CreateHouse", _create_house, Parameter("house", T.STRUCTURE)),
)
