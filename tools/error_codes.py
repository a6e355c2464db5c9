"""Writes docs/error_codes.md from the enums of milo_core.

Usage, in the environment of ./milo: python tools/error_codes.py
"""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from pathlib import Path

from milo_core.error_codes import CODES_OF_ACTION, EngineError
from milo_core.error_meanings import meaning_of

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "error_codes.md"
HEAD = """# Error codes

Every result has an `error_code` and an `error_msg`; 0 means no error. Each action owns a block of
one hundred, 9000 to 9099 belong to engine and harness and occur in every result. Names and numbers
are constants of `msg/action/*.action` and enums of `milo_core.error_codes`, from which
`tools/error_codes.py` writes this page.
"""


def rows(codes: Iterable[IntEnum]) -> Iterator[str]:
    """Return a table, a line each."""
    yield "| code | name | meaning |"
    yield "|---|---|---|"
    for code in sorted(codes):
        yield f"| {code.value} | {code.name} | {meaning_of(code)} |"


def page() -> str:
    """Return the page's text."""
    lines = [HEAD]
    for action, codes in sorted(CODES_OF_ACTION.items(), key=lambda item: min(item[1])):
        lines += [f"## {action}", "", *rows(codes), ""]
    lines += ["## Engine and harness", "", *rows(EngineError)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
