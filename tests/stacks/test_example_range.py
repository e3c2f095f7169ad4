"""The specs here open the API to a range that examples use."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.engine


@pytest.mark.parametrize("stack", ["aws-trial", "gcp-trial", "azure-trial"])
@pytest.mark.slow
def test_an_example_range_ends_an_update_outside_of_the_sandbox_before_anything_is_made(
    project: Any, stack: str
) -> None:
    # Nothing tells the program that the clouds are simulated.
    start = "from __future__ import annotations\n"
    hidden = f"{start}\nimport os\n\nos.environ.pop('SANDBOX_INPUT_ERROR')\n"
    project.change("stacks/__main__.py", start, hidden)
    previewed = project.pulumi("preview", stack=stack)
    assert previewed.code == 0, previewed.text
    made = project.pulumi("up", "--yes", "--skip-preview", stack=stack)
    assert made.code != 0
    assert "cluster trial: 1 problem\n" in made.out
    assert "access.cidrs: 203.0.113.0/24 is an example range: the API cannot be reached, so an update would" in made.out
    assert project.ledger() == []
