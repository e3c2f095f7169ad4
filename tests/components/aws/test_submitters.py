"""Who submits jobs on EKS: IAM principals in groups of Kubernetes, each with a role in its namespaces and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pulumi.runtime.mocks import MockResourceArgs

from gpucluster.components.aws.access import people_problems
from tests.components.conftest import Vary

Register = Callable[..., dict[str, MockResourceArgs]]
ACCOUNT = "arn:aws:iam::123456789012:role/"
TEAMS = {
    "vision": {"groups": [f"{ACCOUNT}vision", f"{ACCOUNT}both"], "gpus": {"training": 16, "dev": 4}},
    "speech": {"groups": [f"{ACCOUNT}both"], "gpus": {"training": 8}, "priority": "low"},
}


def test_a_principal_is_in_the_groups_of_its_namespaces_and_has_no_policy(
    register: Register, trial: dict[str, Any]
) -> None:
    made = register(access={**trial["access"], "submitters": [f"{ACCOUNT}all"]}, teams=TEAMS)
    entries = {name: args.inputs for name, args in made.items() if args.typ == "aws:eks/accessEntry:AccessEntry"}
    found = {
        given["principalArn"]: given.get("kubernetesGroups") for name, given in entries.items() if "submitters" in name
    }
    assert found == {
        f"{ACCOUNT}all": ["gpucluster:training"],
        f"{ACCOUNT}vision": ["gpucluster:team-vision"],
        f"{ACCOUNT}both": ["gpucluster:team-vision", "gpucluster:team-speech"],
    }
    policies = [name for name, args in made.items() if "AccessPolicyAssociation" in args.typ]
    assert policies == []


def test_each_group_has_its_role_in_its_own_namespace(register: Register, trial: dict[str, Any]) -> None:
    made = register(access={**trial["access"], "submitters": [f"{ACCOUNT}all"]}, teams=TEAMS)
    bindings = {
        args.inputs["metadata"]["namespace"]: [subject["name"] for subject in args.inputs["subjects"]]
        for args in made.values()
        if args.typ == "kubernetes:rbac.authorization.k8s.io/v1:RoleBinding" and "submitters" in args.name
    }
    assert bindings == {
        "training": ["gpucluster:training"],
        "team-vision": ["gpucluster:team-vision"],
        "team-speech": ["gpucluster:team-speech"],
    }


def test_a_team_has_all_that_its_jobs_need_in_a_namespace_of_its_own(register: Register) -> None:
    before, after = register(), register(teams=TEAMS)
    assert set(before) <= set(after)
    made = {name for name in set(after) - set(before) if "vision" in name and "." in name}
    assert made == {
        *(
            f"trial-team-vision.{suffix}"
            for suffix in (
                "namespace",
                "files-volume",
                "files-claim",
                "network",
                "submitters",
                "submitters-role",
                "submitters-binding",
            )
        ),
        *(
            f"trial-jobs-team-vision.{pool}-{suffix}"
            for pool in ("training", "dev")
            for suffix in ("cluster-queue", "queue")
        ),
    }
    changed = {name for name in before if before[name].inputs != after[name].inputs}
    assert changed == {
        "trial",  # its facts
        # Where jobs may run.
        "trial-jobs-software-kueue",
        "trial-jobs-rules-gpu-pods",
        "trial-jobs-rules-training-jobs",
        "trial-jobs-training-cluster-queue",
        "trial-jobs-dev-cluster-queue",
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
    assert [str(problem) for problem in people_problems(spec)] == [
        "access.submitters[0] is 'ada@example.com'; on AWS write the ARN of an IAM role or user, such as "
        "arn:aws:iam::123456789012:role/platform-admin",
        "teams.vision.groups[0] is 'arn:aws:sts::123456789012:assumed-role/vision/ada'; on AWS write the ARN of an "
        "IAM role or user, such as arn:aws:iam::123456789012:role/platform-admin; for a session, name the role in its "
        "ARN after assumed-role/",
    ]
