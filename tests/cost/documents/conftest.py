"""Documents compared with files that are reviewed as money.

After a change that is meant: `UPDATE_GOLDEN=1 pytest tests/cost/documents`, then read the difference.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpucluster.core.documents.document import WIDEST, Document
from gpucluster.core.documents.formats import written
from gpucluster.core.documents.model import Model

FORMS = {"txt": "table", "md": "markdown", "json": "json", "csv": "csv"}
GOLDEN = Path(__file__).parent / "golden"
Golden = Callable[[str, Document], None]


@pytest.fixture
def golden() -> Golden:
    """`golden("diff/grown.txt", document)`: the document in the form of the file's ending is that file. No line of a
    table is wider than the widest, none ends in a blank, and no number of a JSON document is a binary fraction.
    """

    def compare(name: str, document: Document) -> None:
        path, form = GOLDEN / name, FORMS[name.rpartition(".")[2]]
        text = written(document, form)
        if "UPDATE_GOLDEN" in os.environ:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text + "\n")
        assert text + "\n" == path.read_text()
        if form == "json":
            json.loads(text, parse_float=pytest.fail)
        if form == "table":
            assert [line for line in text.splitlines() if len(line) > WIDEST or line != line.rstrip()] == []

    return compare


def refused(schema: Mapping[str, Any], document: Model | Mapping[str, Any]) -> list[str]:
    """Where a document differs from its schema."""
    found = document.model_dump() if isinstance(document, Model) else document
    validator = jsonschema.Draft202012Validator(schema)
    return [error.json_path for error in validator.iter_errors(json.loads(json.dumps(found)))]
