"""The lines of a spec that findings name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.core.program.spec_places import SpecPlace, spec_place, to_edit

SPEC = """\
name: trial
# a comment
budget:
  monthly_usd: 1
labels: {team: research}
"""


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    file = tmp_path / "trial.yaml"
    file.write_text(SPEC)
    return file


@pytest.mark.parametrize(
    ("field", "line"),
    [("budget.monthly_usd", 4), ("budget.on_exceed", 3), ("labels", 5), ("labels.team", 5), ("duration", None)],
)
def test_a_field_has_its_own_line_or_that_of_the_field_around_it(spec: Path, field: str, line: int | None) -> None:
    assert spec_place([spec], field) == SpecPlace(spec, field, line)


def test_of_several_specs_the_one_that_states_the_field_counts(spec: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.yaml"
    other.write_text("name: other\nduration: 14d\n")
    gone, broken = tmp_path / "gone.yaml", tmp_path / "broken.yaml"
    broken.write_text("a: [")
    assert spec_place([gone, broken, spec, other], "duration") == SpecPlace(other, "duration", 2)
    assert spec_place([gone], "duration") is None


def test_users_read_a_path_from_where_they_are(spec: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert to_edit([spec], "budget.monthly_usd") == ": trial.yaml:4, budget.monthly_usd"
    assert to_edit([spec], "duration") == ": trial.yaml, duration"
    assert to_edit([spec], "") == ""
    monkeypatch.chdir("/")
    assert to_edit([spec], "labels").startswith(f": {str(spec)[1:]}:5")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert to_edit([spec], "labels") == f": {spec}:5, labels"
