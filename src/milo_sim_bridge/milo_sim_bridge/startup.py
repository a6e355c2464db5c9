"""A quiet end while a node is still coming up.

Imports light: it has to be in force before the heavy imports begin.
"""

import os
import signal
from types import FrameType


class QuietSignals:
    """Lets SIGINT and SIGTERM end the process with exit code 0, without a traceback.

    Until `node_starts` the process ends at once. Then KeyboardInterrupt is raised, which the
    node's main function turns into an orderly end. As soon as rclpy has its own handlers these
    shut the context down and end the spinning; an exception from here as well could only hit code
    that is cleaning up.
    """

    def __init__(self) -> None:
        self._started = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def node_starts(self) -> None:
        """From now on there is something to clean up, and rclpy is imported."""
        self._started = True

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._started:
            os._exit(0)  # an exception out of an import would be printed or swallowed
        from rclpy.signals import SignalHandlerOptions, get_current_signal_handlers_options

        if get_current_signal_handlers_options() == SignalHandlerOptions.NO:
            raise KeyboardInterrupt
