"""Why the simulator could not do what it was asked to."""

from milo_core.error_codes import EngineError
from milo_core.errors import MiloError


class EngineFailure(MiloError):
    """The engine is gone, hung, not started, or unable to load a scene.

    Attributes:
        code: numbered error code for results.
    """

    def __init__(self, code: EngineError, message: str) -> None:
        super().__init__(message)
        self.code = code
