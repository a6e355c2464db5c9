"""``python -m milo_sim``: the player."""

import sys

from milo_sim.player import main

sys.exit(main())
