"""The simulator behind one thread: an `ai2thor` controller and the player that it drives."""

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import milo_sim
from milo_core.error_codes import EngineError
from milo_core.scenes import UnknownSceneError, normalize_scene
from milo_core.snapshot import Snapshot
from milo_sim_bridge import unity
from milo_sim_bridge.errors import EngineFailure
from milo_sim_bridge.images import NO_PICTURES, Pictures, render_arguments
from milo_sim_bridge.unity import UnityError
from milo_sim_bridge.worker import Worker

if TYPE_CHECKING:
    from milo_sim_bridge.player import PlayerController

T = TypeVar("T")
_UNUSED_DISPLAY = ":0"  # never opened, but without a name ai2thor looks for an X server
_CLOSE_TIMEOUT = 2.0
_UNITY_SEEDS = 2**31  # C# takes a 32-bit integer


@dataclass(frozen=True)
class EngineConfig:
    """How to start and configure the player; lengths in metres, times in seconds."""

    player: Literal["milo_sim", "unity"] = "milo_sim"
    executable: str = ""
    """Path of a player to use instead of the named one's own."""
    x_display: str = ""
    """X display for Unity, e.g. `:0`; empty: that of the environment."""
    platform: str = ""
    """Which of Unity's builds to start, one of milo_sim_bridge.unity.PLATFORMS."""
    width: int = 300
    height: int = 300
    grid_size: float = 0.25
    visibility_distance: float = 1.5
    field_of_view: float = 90.0
    """Vertical angle of view of the camera, degrees."""
    headless: bool = False
    """The player can't send images."""
    step_timeout: float = 30.0
    start_timeout: float = 120.0


@dataclass(frozen=True)
class StepResult:
    """What one engine action did."""

    step: int
    """Engine actions since the engine object was made; a reset counts as one."""
    episode: int
    """Resets since the engine object was made."""
    action: str
    success: bool
    error_code: str
    """The engine's own code name; mostly empty."""
    error_message: str
    """The engine's own words; empty on success."""
    action_return: Any
    snapshot: Snapshot
    field_of_view: float = 90.0
    """Vertical angle of view of the camera, degrees."""
    pictures: Pictures = NO_PICTURES
    """What the camera saw afterwards; empty where nobody asked, or the action changed nothing."""


class Engine:
    """Owns a player process and does engine actions on it, one at a time.

    `reset` and `step` run in the engine's own thread only: hand in a job with `submit`. Jobs run
    one after the other, each undisturbed by the others. A player that dies, hangs or talks
    nonsense is killed; from then on everything is refused until the next `reset` starts a new one.

    Args:
        config: the player and its settings.
        on_step: called in the engine's thread after every engine action, before its result is
            returned.
        wanted: asked before every action which streams of pictures it shall answer with.
    """

    def __init__(
        self,
        config: EngineConfig,
        on_step: Callable[[StepResult], None] = lambda _: None,
        wanted: Callable[[], frozenset[str]] = lambda: frozenset(),
    ) -> None:
        self._config = config
        self._on_step = on_step
        self._wanted = wanted
        self._draws: bool | None = None
        self._blindness = ""
        self._last_files: object = None
        self._aborted = threading.Event()
        self._controller: PlayerController | None = None
        self._latest: StepResult | None = None
        self._step_count = 0
        self._episode = 0
        self._worker = Worker("engine")
        self._worker.submit(_import_client)

    def submit(self, job: Callable[[], T]) -> Future[T]:
        """Queue a job for the engine's thread (callable from any thread)."""
        return self._worker.submit(job)

    @property
    def step_count(self) -> int:
        """Number of the last engine action (any thread)."""
        return self._step_count

    @property
    def latest(self) -> StepResult:
        """The result of the last engine action (any thread).

        Raises:
            EngineFailure: ENGINE_NOT_READY, no scene is loaded.
        """
        latest = self._latest
        if latest is None:
            raise EngineFailure(
                EngineError.ENGINE_NOT_READY, "No scene is loaded; call reset_scene first."
            )
        return latest

    @property
    def grid_size(self) -> float:
        """Width of the cells of motion, metres."""
        return self._config.grid_size

    @property
    def reach(self) -> float:
        """How far the agent sees and reaches, metres."""
        return self._config.visibility_distance

    @property
    def blindness(self) -> str:
        """Why the player sends no pictures, one sentence; empty: it can, as far as is known."""
        return self._blindness

    @property
    def player(self) -> str:
        """The player and its version."""
        config = self._config
        if config.executable:
            return f"{config.player} ({Path(config.executable).name})"
        if config.player == "milo_sim":
            return f"milo_sim {milo_sim.__version__}"
        return f"unity, ai2thor {version('ai2thor')}"

    def close(self) -> None:
        """Stop the player and the thread (any thread); running jobs fail at once."""
        self._aborted.set()
        self._worker.submit(self._discard)
        self._worker.close(_CLOSE_TIMEOUT)

    def reset(self, scene: str, seed: int = 0) -> StepResult:
        """Load a scene in its default layout; starts a player when none lives.

        Args:
            scene: name of an iTHOR scene.
            seed: seeds Unity's random numbers; milo_sim has none.

        Raises:
            EngineFailure: the scene is unknown, or no player could load it.
        """
        try:
            name = normalize_scene(scene)
        except UnknownSceneError as error:
            raise EngineFailure(EngineError.UNKNOWN_SCENE, str(error)) from error
        controller = self._live_controller()
        self._guarded(lambda: self._require_scene(controller, name))
        self._latest = None
        try:
            event = self._guarded(lambda: self._load(controller, name, seed))
        except (RuntimeError, ValueError) as error:
            raise EngineFailure(
                EngineError.ENGINE_REFUSED_RESET, f"The player refused to load '{name}': {error}"
            ) from error
        return self._finish(event, self._episode + 1)

    def step(self, action: str, **arguments: object) -> StepResult:
        """Do one engine action; a refusal is a result, not an exception.

        Raises:
            EngineFailure: no scene is loaded, or the player died or hung.
        """
        latest = self.latest
        controller = self._controller
        assert controller is not None  # a loaded scene has a controller
        try:
            rendering = self._guarded(lambda: self._rendering(controller))
            event = self._guarded(lambda: controller.step(action=action, **rendering, **arguments))
        except ValueError:
            # The client raises the dispatcher's refusals; their event is there all the same.
            event = controller.last_event
        return self._finish(event, latest.episode)

    def _rendering(self, controller: "PlayerController") -> dict[str, bool]:
        """Arguments about pictures of the next action."""
        if self._config.headless:
            return {}  # the client adds its own
        streams = self._wanted()
        if streams and self._draws is None:
            self._try_drawing(controller, streams)
        return render_arguments(streams if self._draws else frozenset())

    def _try_drawing(self, controller: "PlayerController", streams: frozenset[str]) -> None:
        """Find out whether this machine can draw: an action must not fail because it can't."""
        try:
            event = controller.step(action="Pass", **render_arguments(streams))
        except ValueError:
            event = controller.last_event
        self._draws = event.frame is not None
        if not self._draws:
            reason = event.metadata["errorMessage"] or "it gave no reason."
            self._blindness = f"The player sends no pictures: {reason}"

    def _require_scene(self, controller: "PlayerController", name: str) -> None:
        known = controller.scenes_in_build
        if known and controller.normalize_scene(name) not in known:
            raise EngineFailure(
                EngineError.UNKNOWN_SCENE, f"The player {self.player} has no scene '{name}'."
            )

    def _load(self, controller: "PlayerController", name: str, seed: int) -> Any:
        event = controller.reset(name)
        if self._config.player == "unity":
            seed %= _UNITY_SEEDS
            event = controller.step("SetRandomSeed", seed=seed, raise_for_failure=True)
        return event

    def _live_controller(self) -> "PlayerController":
        controller = self._controller
        if controller is not None and controller.server.unity_proc.poll() is None:
            return controller
        self._discard()
        try:
            self._controller = self._start()
        except EngineFailure as failure:
            self._discard()
            raise self._start_failure(f"The player did not start: {failure}") from failure
        except UnityError as error:
            self._discard()
            raise self._start_failure(str(error)) from error
        except Exception as error:
            self._discard()
            text = f"The player did not start ({type(error).__name__}): {error}"
            raise self._start_failure(text) from error
        return self._controller

    def _start_failure(self, text: str) -> EngineFailure:
        """Say why the player did not start and, of Unity, what to do about it."""
        text = " ".join(text.split())
        cure = unity.cure_of(text) if self._config.player == "unity" else ""
        if cure and cure not in text:
            text = f"{text.rstrip('.')}; {cure}."
        return EngineFailure(EngineError.ENGINE_START_FAILED, text)

    def _start(self) -> "PlayerController":
        from milo_sim_bridge.player import PlayerController

        config = self._config
        display = self._display()
        self._controller = controller = PlayerController(
            aborted=self._aborted,
            local_executable_path=self._command(),
            width=config.width,
            height=config.height,
            headless=config.headless,
            x_display=display,
            platform=unity.platform_class(config.platform),
            server_timeout=config.step_timeout,
            server_start_timeout=config.start_timeout,
        )
        controller.start(width=config.width, height=config.height, x_display=display)
        self._draws = None
        self._blindness = "The player was started without images." if config.headless else ""
        controller.initialization_parameters = {
            "renderImage": False,  # until somebody looks
            "gridSize": config.grid_size,
            "visibilityDistance": config.visibility_distance,
            "snapToGrid": True,
            "rotateStepDegrees": 90,
            "fieldOfView": config.field_of_view,
        }
        return controller

    def _display(self) -> str | None:
        """The X display to name; None: ai2thor finds one, or does without."""
        config = self._config
        if config.player == "milo_sim" or config.headless:
            return _UNUSED_DISPLAY
        if config.platform == "CloudRendering":
            # A named executable gets a display in any case; this one does not look at it.
            return _UNUSED_DISPLAY if config.executable else None
        if config.platform == "Linux64" or config.executable:
            return unity.require_display(config.x_display, config.width, config.height)
        return config.x_display or None

    def _command(self) -> str | None:
        """The player's path, quoted; None: the Unity build that ai2thor downloads."""
        from milo_sim_bridge.player import quote_executable

        if self._config.executable:
            return quote_executable(self._config.executable)
        return milo_sim.executable() if self._config.player == "milo_sim" else None

    def _guarded(self, call: Callable[[], T]) -> T:
        """Talk to the player; one that fails is given up."""
        controller = self._controller
        assert controller is not None
        try:
            return call()
        except Exception as error:
            failure = controller.server.failure
            if failure is None:
                raise
            self._discard()
            raise EngineFailure(failure.code, str(failure)) from error

    def _has_news(self, event: Any) -> bool:
        """Whether an event brought pictures; one that changed nothing repeats the last ones."""
        controller = self._controller
        files = None if controller is None else controller.server.raw_files
        known, self._last_files = self._last_files, files
        return files is not known and event.frame is not None

    def _discard(self) -> None:
        controller, self._controller, self._latest = self._controller, None, None
        if controller is not None:
            controller.close()

    def _finish(self, event: Any, episode: int) -> StepResult:
        try:
            result = _read_event(event, self._step_count + 1, episode, self._has_news(event))
        except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
            self._discard()
            raise EngineFailure(
                EngineError.ENGINE_DIED,
                f"The player's metadata is not AI2-THOR's ({type(error).__name__}: {error}); "
                "it was stopped, reset the scene to start a new one.",
            ) from error
        self._step_count = result.step
        self._episode = result.episode
        self._latest = result
        self._on_step(result)
        return result


def _read_event(event: Any, step: int, episode: int, has_pictures: bool) -> StepResult:
    metadata: Mapping[str, Any] = event.metadata
    snapshot = Snapshot.from_metadata(metadata)
    _require_texts(snapshot)
    success = bool(metadata["lastActionSuccess"])
    return StepResult(
        step=step,
        episode=episode,
        action=str(metadata["lastAction"]),
        success=success,
        error_code=str(metadata["errorCode"] or ""),
        error_message="" if success else str(metadata["errorMessage"]),
        action_return=metadata["actionReturn"],
        snapshot=snapshot,
        field_of_view=float(metadata.get("fov") or 90.0),
        pictures=_pictures(event) if has_pictures else NO_PICTURES,
    )


def _pictures(event: Any) -> Pictures:
    return Pictures(
        color=event.frame,
        depth=event.depth_frame,
        instances=event.instance_segmentation_frame,
        colors=event.metadata["colors"] or (),
    )


def _require_texts(snapshot: Snapshot) -> None:
    """Raise TypeError when an id is no text: a ROS message with it would end the process."""
    for obj in snapshot.objects.values():
        names = (obj.object_id, obj.object_type, *obj.parent_receptacles)
        for name in (*names, *obj.receptacle_object_ids):
            if not isinstance(name, str):
                raise TypeError(f"{name!r} is no object id")
    if not isinstance(snapshot.held_id, str | None):
        raise TypeError(f"{snapshot.held_id!r} is no object id")


def _import_client() -> None:
    """Import ai2thor before the first reset needs it; it takes a second."""
    import milo_sim_bridge.player  # noqa: F401
