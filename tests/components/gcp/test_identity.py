"""Who submits jobs on GKE: found by IAM, and known to Kubernetes by address; groups by Google Groups for RBAC."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.cluster import ClusterSpec
from tests.components.conftest import Registered, Vary
from tests.components.told import refused

TEAMS = yaml.safe_load((Path(__file__).parents[3] / "examples/specs/gcp/teams.yaml").read_text())
HERE = Location(project="my-project", region="us-central1", zone="us-central1-b")
Inputs = Callable[..., dict[str, dict[str, Any]]]


@pytest.fixture
def inputs(registered: Callable[[Callable[[], object]], Registered]) -> Inputs:
    """The inputs by logical name of the example with teams, with some fields changed."""

    def run(**changes: Any) -> dict[str, dict[str, Any]]:
        from gpucluster.components.gcp.cluster import TrainingCluster

        plan = CLOUD.plan_cluster(ClusterSpec.model_validate({**TEAMS, **changes}), HERE, stack="gcp-trial")
        return {name: given for _, name, given in registered(lambda: TrainingCluster(plan.name, plan))}

    return run


def test_people_by_name_need_no_groups(inputs: Inputs) -> None:
    found = inputs(access={**TEAMS["access"], "submitters": ["user:ada@example.com"]}, teams={})
    assert "authenticatorGroupsConfig" not in found["shared-control-plane-cluster"]
    [subject] = found["shared-submitters-binding"]["subjects"]
    assert (subject["kind"], subject["name"]) == ("User", "ada@example.com")


def test_where_a_name_is_the_only_way_in_submitters_may_connect_to_it(inputs: Inputs) -> None:
    found = inputs(access={"kind": "private", "via": "dns"})
    assert found["shared-submitters-connect"]["permissions"] == ["container.clusters.connect"]
    assert found["shared-submitters-vision-example-com-connect"]["member"] == "group:vision@example.com"


def test_two_claims_of_a_staged_file_system_never_have_one_handle(inputs: Inputs) -> None:
    found = {name: given["spec"]["csi"]["volumeHandle"] for name, given in inputs().items() if name.endswith("-volume")}
    instance = "my-project/us-central1-b/shared-gcp-trial"
    # By name: resources that wait for the same are registered in any order.
    assert found == {
        "shared-workspace-volume": instance,
        "shared-team-vision.files-volume": f"{instance}.vision",
        "shared-team-speech.files-volume": f"{instance}.speech",
    }


@pytest.mark.parametrize(
    ("access", "problems"),
    [
        (
            {"submitters": ["vision@example.com", "group:vision"]},
            [
                "access.submitters[0] is 'vision@example.com'; on Google Cloud write a group, a person or a service "
                "account, such as group:vision@example.com, user:ada@example.com or "
                "serviceAccount:deploy@my-project.iam.gserviceaccount.com",
                "access.submitters[1] is 'group:vision'; on Google Cloud write a group, a person or a service "
                "account, such as group:vision@example.com, user:ada@example.com or "
                "serviceAccount:deploy@my-project.iam.gserviceaccount.com",
            ],
        ),
        (
            {"submitters": ["group:a@example.com", "user:b@other.org", "group:c@other.org"]},
            [
                "access.submitters[2] is 'group:c@other.org', but another group is in example.com; GKE supports "
                "groups of one domain: use groups of one domain, and user: for people of others"
            ],
        ),
    ],
)
def test_who_can_not_be_known_is_named_with_the_field(
    vary: Vary, trial: dict[str, Any], access: Mapping[str, Any], problems: list[str]
) -> None:
    spec = vary(access={**trial["access"], **access})
    assert refused("gcp", spec) == problems


def test_what_the_directory_has_to_have_is_said(vary: Vary) -> None:
    def found(spec: ClusterSpec) -> tuple[str | None, list[str]]:
        plan = CLOUD.plan_cluster(spec, HERE, stack="gcp-trial")
        return plan.security_group, [note for note in plan.facts.before_up if note.startswith("groups: ")]

    assert found(vary()) == (None, [])
    around = "gke-security-groups@example.com"
    assert found(ClusterSpec.model_validate(TEAMS)) == (
        around,
        [
            f"groups: {around} must exist, with ml-platform@example.com, speech@example.com, vision@example.com as "
            "members, and each group must let its members view its membership"
        ],
    )
