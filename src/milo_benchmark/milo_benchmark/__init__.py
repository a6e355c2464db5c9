"""The orchestrator node, results, the description of the graph and the command line."""

__version__ = "0.1.0"
