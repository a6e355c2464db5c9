"""Errors of the simulator core."""

from __future__ import annotations


class ActionFailed(Exception):
    """An action was refused; the world is as it was before the action.

    Attributes:
        message: The engine's text, without a type prefix.
        error_code: Name of the engine's ServerActionErrorCode, or None.
        exception_type: .NET type when the engine throws inside the action (Python then receives
            ``{exception_type}: {message}. trace: ...``); None when it sets the message itself.
    """

    def __init__(
        self, message: str, error_code: str | None = None, exception_type: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.error_code = error_code
        self.exception_type = exception_type


class UnknownSceneError(KeyError):
    """A scene name that is not among the packaged scenes."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    def __str__(self) -> str:
        return f"Scene {self.name!r} is not among the packaged scenes; see milo_sim.scene_names()."


class SceneFileError(Exception):
    """A scene file that cannot be used; the message is one sentence with file, object and field."""
