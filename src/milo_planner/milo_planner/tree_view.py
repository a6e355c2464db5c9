"""Behaviour trees as text for people."""

from milo_planner.policy import NodeStatus, TreeRecord

_KINDS = {"sequence": "→", "selector": "?", "decorator": "◇", "condition": "○", "action": "▸"}
_STATUSES = {
    NodeStatus.INVALID: "·",
    NodeStatus.RUNNING: "●",
    NodeStatus.SUCCESS: "✓",
    NodeStatus.FAILURE: "✕",
}
LEGEND = (
    "→ sequence  ? selector  ○ condition  ▸ action    ✓ success  ✕ failure  ● running  · not ticked"
)
"""What the signs of `render` mean."""


def render(record: TreeRecord, *, ticked_only: bool = False) -> str:
    """Return a tree as text, one node a line, children below their parent and indented.

    Args:
        record: the tree after a tick.
        ticked_only: leave out what the tick did not reach.
    """
    depths: list[int] = []
    hidden: set[int] = set()
    lines: list[str] = []
    for index, node in enumerate(record.nodes):
        depths.append(depths[node.parent] + 1 if node.parent >= 0 else 0)
        if node.parent in hidden or (ticked_only and node.status is NodeStatus.INVALID):
            hidden.add(index)
            continue
        sign = _KINDS.get(node.kind, "▸")
        feedback = f"  -- {node.feedback}" if node.feedback else ""
        indent = "    " * depths[index]
        lines.append(f"{indent}{sign} {node.name} {_STATUSES[node.status]}{feedback}")
    return "\n".join(lines)
