import sys
from pathlib import Path

# The tests of this package share modules; pytest's importlib mode leaves the path alone.
sys.path.insert(0, str(Path(__file__).parent))
