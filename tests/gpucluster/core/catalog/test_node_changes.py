"""What of a change leaves running nodes as they are."""

from __future__ import annotations

from typing import Any

import pytest

from gpucluster.core.catalog.nodes import EFFECTS, covered, ends_jobs, node_changes, worst
from gpucluster.core.program.resources import UNKNOWN

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
NODE_POOL = "gcp:container/nodePool:NodePool"
AGENT_POOL = "azure-native:containerservice:AgentPool"

CHANGES: list[tuple[str, dict[str, Any], dict[str, Any], tuple[str, ...]]] = [
    (NODE_GROUP, {"labels": {"owner": "a"}, "tags": {"owner": "a"}}, {"labels": {"owner": "b"}, "tags": {}}, ()),
    (NODE_GROUP, {"scalingConfig": {"desiredSize": 5}}, {"scalingConfig": {"desiredSize": 7}}, ()),
    (
        NODE_GROUP,
        {"launchTemplate": {"id": "lt-1", "version": "1"}, "version": "1.35"},
        {"launchTemplate": {"id": "lt-1", "version": UNKNOWN}, "version": "1.36"},
        ("launchTemplate.version", "version"),
    ),
    (NODE_GROUP, {"launchTemplate": {"version": "1"}}, {"launchTemplate": UNKNOWN}, ("launchTemplate",)),
    ("aws:ec2/launchTemplate:LaunchTemplate", {"tags": {"a": "1"}}, {"tags": {"a": "2"}}, ()),
    (
        "aws:ec2/launchTemplate:LaunchTemplate",
        {"tagSpecifications": [{"tags": {"a": "1"}}], "userData": "x"},
        {"tagSpecifications": [{"tags": {"a": "2"}}], "userData": "x"},
        ("tagSpecifications",),
    ),
    (NODE_POOL, {"nodeConfig": {"labels": {"a": "1"}}}, {"nodeConfig": {"labels": {"a": "2"}}}, ()),
    (
        NODE_POOL,
        {"nodeConfig": {"resourceLabels": {"a": "1"}, "diskSizeGb": 200}, "nodeCount": 5},
        {"nodeConfig": {"resourceLabels": {"a": "2"}, "diskSizeGb": 300}, "nodeCount": 7},
        ("nodeConfig.diskSizeGb", "nodeConfig.resourceLabels.a"),
    ),
    (AGENT_POOL, {"count": 5, "tags": {"a": "1"}, "nodeLabels": {"a": "1"}}, {"count": 7}, ()),
    (AGENT_POOL, {"orchestratorVersion": "1.35"}, {"orchestratorVersion": "1.36"}, ("orchestratorVersion",)),
]


@pytest.mark.parametrize(("type_", "before", "after", "found"), CHANGES)
def test_what_is_not_applied_in_place_is_named(type_, before, after, found):
    assert tuple(change.path for change in ends_jobs(node_changes(type_, before, after))) == found


def test_what_a_provider_fills_in_or_nobody_sets_is_no_difference():
    before = {"version": "1.35", "__defaults": ["version"], "remoteAccess": None, "launchTemplate": {"__defaults": []}}
    assert node_changes(NODE_GROUP, before, {"version": "1.35", "launchTemplate": {"name": None}}) == ()


def test_anything_loses_a_pool_of_a_type_that_the_table_lacks():
    [found] = node_changes("example:index:Pool", {"tags": {}, "zone": "a"}, {"tags": {}, "zone": "b"})
    assert (found.path, found.effect) == ("zone", "loss")


def test_the_worst_of_several_changes_counts():
    before, after = {"labels": {"a": "1"}, "version": "1"}, {"labels": {"a": "2"}, "version": "2", "amiType": "b"}
    found = node_changes(NODE_GROUP, before, after)
    assert [(one.path, one.effect) for one in found] == [
        ("amiType", "loss"),
        ("labels.a", "nothing"),
        ("version", "rolling"),
    ]
    assert (worst(found), worst(found[1:]), worst(())) == ("loss", "rolling", "nothing")
    assert EFFECTS.index("rolling") > EFFECTS.index("reboot") > EFFECTS.index("drain") > EFFECTS.index("fewer")


@pytest.mark.parametrize(
    ("old", "new", "effect", "fewer"), [(5, 7, "nothing", 0), (5.0, 3.0, "fewer", 2), (5, UNKNOWN, "nothing", 0)]
)
def test_a_smaller_number_of_nodes_ends_some(old, new, effect, fewer):
    [found] = node_changes(NODE_POOL, {"nodeCount": old}, {"nodeCount": new})
    assert (found.effect, found.fewer) == (effect, fewer)


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        (["a=b:NoSchedule"], ["a=c:NoSchedule"], "nothing"),
        (["a=b:NoExecute"], [], "nothing"),
        (["a=b:NoSchedule"], ["a=b:NoExecute"], "drain"),
        ([{"effect": "NO_SCHEDULE"}], [{"effect": "NO_EXECUTE"}], "drain"),
        ([], UNKNOWN, "drain"),
    ],
)
def test_a_taint_drains_nodes_where_it_ends_pods(old, new, effect):
    [found] = node_changes(AGENT_POOL, {"nodeTaints": old}, {"nodeTaints": new})
    assert found.effect == effect


def test_every_cloud_has_its_pools_in_the_table():
    assert {type_.split(":")[0] for type_ in covered()} == {"aws", "gcp", "azure-native"}
