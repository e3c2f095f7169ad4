"""Who submits jobs on EKS: IAM principals in groups of Kubernetes, each with a role in its namespaces and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pulumi.runtime.mocks import MockResourceArgs

from tests.components.conftest import Vary
from tests.components.told import refused

Register = Callable[..., dict[str, MockResourceArgs]]
ACCOUNT = "arn:aws:iam::123456789012:role/"
TEAMS = {
    "vision": {"groups": [f"{ACCOUNT}vision", f"{ACCOUNT}both"], "gpus": {"training": 16, "dev": 4}},
    "speech": {"groups": [f"{ACCOUNT}both"], "gpus": {"training": 8}, "priority": "low"},
}


def test_the_claims_of_a_team_are_of_the_same_file_system(register: Register) -> None:
    made = register(teams=TEAMS)
    first, second = (made[f"trial-{name}-volume"].inputs["spec"] for name in ("workspace", "team-vision.files"))
    assert first == second


def test_who_is_no_principal_of_iam_is_named_with_the_field(vary: Vary, trial: dict[str, Any]) -> None:
    spec = vary(
        access={**trial["access"], "submitters": ["ada@example.com"]},
        teams={"vision": {"groups": ["arn:aws:sts::123456789012:assumed-role/vision/ada"]}},
    )
    assert refused("aws", spec) == [
        "access.submitters[0] is 'ada@example.com'; on AWS write the ARN of an IAM role or user, such as "
        "arn:aws:iam::123456789012:role/platform-admin",
        "teams.vision.groups[0] is 'arn:aws:sts::123456789012:assumed-role/vision/ada'; on AWS write the ARN of an "
        "IAM role or user, such as arn:aws:iam::123456789012:role/platform-admin; for a session, name the role in its "
        "ARN after assumed-role/",
    ]
