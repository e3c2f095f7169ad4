"""The walker finds what is made too early, and nothing else."""

from __future__ import annotations

from tests.components.waiting import KUBERNETES, Graph, Registered, Wait, early


def resource(name: str, type_: str, *needs: str, **inputs: object) -> Registered:
    return Registered(urn=name, type=type_, name=name, inputs=inputs, needs=frozenset(needs))


ROLE = Wait(of="a:Job", what=lambda graph, job: graph.sources(job, "role"), why="it is refused")
POLICIES = Wait(
    of="a:Job",
    what=lambda graph, job: [
        policy for role in graph.sources(job, "role") for policy in graph.users(role, "role", "a:Policy")
    ],
    why="it is refused",
)


def role_and_job(*job_needs: str) -> Graph:
    from_role = {"role": frozenset({"role"})}
    return Graph(
        "it",
        [
            resource("role", "a:Role"),
            Registered(urn="policy", type="a:Policy", name="policy", needs=frozenset({"role"}), sources=from_role),
            resource("other", "a:Policy"),
            Registered(urn="job", type="a:Job", name="job", needs=frozenset(job_needs), sources=from_role),
        ],
    )


def test_what_does_not_wait_for_a_policy_of_its_role_is_found() -> None:
    assert early(role_and_job("role"), [ROLE, POLICIES]) == ["it: job does not wait for policy: it is refused"]


def test_waiting_may_go_through_others() -> None:
    graph = Graph("it", [*role_and_job("middle"), resource("middle", "a:Other", "policy")])
    assert early(graph, [ROLE, POLICIES]) == []


def test_an_object_waits_for_the_chart_that_defines_its_kind() -> None:
    release = resource("crds", "kubernetes:helm.sh/v3:Release", chart="oci://public.ecr.aws/karpenter/karpenter-crd")
    kind = "kubernetes:karpenter.sh/v1:NodePool"
    graph = Graph("it", [release, resource("early", kind), resource("right", kind, "crds")])
    assert early(graph, KUBERNETES) == [
        "it: early does not wait for crds: no matches for its kind before the chart that defines it"
    ]
