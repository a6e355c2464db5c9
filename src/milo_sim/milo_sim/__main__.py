"""``python -m milo_sim``: the player; with ``--scene`` and ``--out`` it writes one picture."""

import sys


def _run() -> int:
    # Unity's options, which the player takes, start with one dash.
    if any(argument.startswith("--") for argument in sys.argv[1:]):
        from milo_sim.snapshot import main as snapshot

        return snapshot(sys.argv[1:])
    from milo_sim.player import main

    return main()


sys.exit(_run())
