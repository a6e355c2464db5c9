"""Generated pages of docs/ equal what their generators write."""

import importlib.util
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_table_of_error_codes_is_current() -> None:
    generator = tool("error_codes")
    current = generator.PAGE.read_text(encoding="utf-8")
    assert current == generator.page(), "docs/error_codes.md is old: python tools/error_codes.py"


def test_every_error_code_has_a_meaning() -> None:
    from milo_core.error_codes import CODES_OF_ACTION, EngineError
    from milo_core.error_meanings import meaning_of

    for codes in (*CODES_OF_ACTION.values(), EngineError):
        for code in codes:
            assert meaning_of(code)
