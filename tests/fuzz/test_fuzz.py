"""The first cases of `make fuzz`."""

from __future__ import annotations

from pathlib import Path

import pytest

CASES = 50


@pytest.mark.parametrize("start", range(0, 500, CASES))
def test_a_mutated_file_ends_no_command_in_a_fault(tmp_path: Path, start: int) -> None:
    from tests.fuzz.case import folder_of, run

    folder = folder_of(tmp_path / "project")
    results = [run(1, number, folder) for number in range(start, start + CASES)]
    assert [f"{it.command}: {it.wrong}: {it.said}" for it in results if it.wrong] == []
