"""Starts the node orchestrator; light, so that a signal is understood from the first moment."""

import signal
import sys

from milo_benchmark.mailbox import Mailbox


def main() -> None:
    """Run the node; SIGINT and SIGTERM end it in good order, with 128 + N during a run."""
    mailbox = Mailbox()
    stop_signals = (signal.SIGINT, signal.SIGTERM)
    for number in stop_signals:
        signal.signal(number, lambda received, _: mailbox.stop(128 + received))
    # The supervisor starts this process with them blocked, so that none is met unprepared.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, (*stop_signals, signal.SIGHUP))

    from milo_benchmark.orchestrator_node import run_orchestrator

    sys.exit(run_orchestrator(mailbox))


if __name__ == "__main__":
    main()
