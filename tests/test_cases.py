"""Tables of cases and the tests that read them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

FILES = sorted(Path(__file__).parent.rglob("test_*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=[file.stem for file in FILES])
def test_every_table_is_that_of_a_test(file):
    names = re.findall(r"^(\w+):$", file.read_text(encoding="utf-8"), re.MULTILINE)
    tests = re.findall(r"^@cases\ndef (\w+)\(", file.with_suffix(".py").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(names) == sorted(tests) != []
