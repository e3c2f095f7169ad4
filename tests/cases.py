"""Tables of cases in a YAML file beside the tests, which has their name."""

from __future__ import annotations

from collections.abc import Callable
from inspect import getfile
from pathlib import Path
from typing import Any, TypeVar

import pytest
import yaml

from tests.says import Says

__all__ = ["cases"]

_Test = TypeVar("_Test", bound=Callable[..., Any])


class _Loader(yaml.SafeLoader):
    """`!says [...]` is `Says(...)`."""


def _says(loader: _Loader, node: yaml.SequenceNode) -> Says:
    return Says(*loader.construct_sequence(node))


_Loader.add_constructor("!says", _says)


def cases(test: _Test) -> _Test:
    """One test for each row of the table that has the test's name: its arguments by name, under an id or in a list."""
    table = yaml.load(Path(getfile(test)).with_suffix(".yaml").read_text(encoding="utf-8"), _Loader)[test.__name__]
    ids = [*table] if isinstance(table, dict) else None
    rows: list[dict[str, Any]] = [*table.values()] if isinstance(table, dict) else table
    assert all(row.keys() == rows[0].keys() for row in rows), f"{test.__name__}: rows with other names"
    return pytest.mark.parametrize(tuple(rows[0]), [tuple(row.values()) for row in rows], ids=ids)(test)
