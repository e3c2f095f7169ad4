"""upgrade-keeps-jobs on Azure: spare nodes of an upgrade, and channels that upgrade by themselves."""

from __future__ import annotations

import pytest

from gpucluster.policies.rules.upgrade_keeps_jobs import RULE

FIVE = "5 nodes of Standard_ND96isr_H100_v5"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"maxSurge": "1"}, "maxSurge 1"),
        ({"maxSurge": "33%", "maxUnavailable": "1"}, "maxSurge 33%"),
        ({"maxUnavailable": "1"}, "no maxSurge (default: 10%)"),
        (None, "no maxSurge (default: 10%)"),
    ],
)
def test_an_upgrade_that_needs_a_spare_node_is_found(nd, found, settings, said):
    nd["train"]["upgradeSettings"] = settings
    assert found(RULE, nd) == [
        ("train", f"{FIVE} with {said}: every upgrade needs one more machine, with quota and capacity")
    ]


@pytest.mark.parametrize("unavailable", [None, "0", "0%"])
def test_an_upgrade_that_may_neither_add_nor_take_a_node_is_found(nd, found, unavailable):
    nd["train"]["upgradeSettings"]["maxUnavailable"] = unavailable
    assert found(RULE, nd) == [("train", f"{FIVE} with neither maxSurge nor maxUnavailable: upgrades cannot start")]


@pytest.mark.parametrize(
    "settings", [{"maxSurge": "0", "maxUnavailable": "1"}, {"maxSurge": "0%", "maxUnavailable": "20%"}]
)
def test_an_upgrade_that_takes_nodes_down_one_by_one_passes(nd, found, unknown, settings):
    nd["train"]["upgradeSettings"] = settings
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


def test_pools_that_do_not_train_may_have_a_spare(nd, found):
    nd["train"].update(vmSize="Standard_NC40ads_H100_v5", upgradeSettings={"maxSurge": "1"})
    nd["train"]["nodeLabels"]["gpucluster/pool"] = "elastic"
    assert found(RULE, nd) == []


@pytest.mark.parametrize(
    ("profile", "what"),
    [
        (None, "nodeOSUpgradeChannel is not set (default: NodeImage): GPU nodes are reimaged while jobs run"),
        (
            {"nodeOSUpgradeChannel": "NodeImage"},
            "nodeOSUpgradeChannel NodeImage: GPU nodes are reimaged while jobs run",
        ),
        (
            {"nodeOSUpgradeChannel": "SecurityPatch"},
            "nodeOSUpgradeChannel SecurityPatch: GPU nodes are reimaged while jobs run",
        ),
        (
            {"nodeOSUpgradeChannel": "None", "upgradeChannel": "patch"},
            "upgradeChannel patch: GPU nodes are upgraded while jobs run",
        ),
        (
            {"upgradeChannel": "stable"},
            "nodeOSUpgradeChannel is not set (default: NodeImage): GPU nodes are reimaged; upgradeChannel stable: "
            "GPU nodes are upgraded while jobs run",
        ),
    ],
)
def test_a_channel_that_upgrades_by_itself_is_found(nd, found, profile, what):
    nd["cluster"]["autoUpgradeProfile"] = profile
    assert found(RULE, nd) == [("cluster", what)]


@pytest.mark.parametrize("channel", ["None", "Unmanaged"])
def test_channels_that_leave_nodes_alone_pass(nd, found, unknown, channel):
    nd["cluster"]["autoUpgradeProfile"] = {"nodeOSUpgradeChannel": channel}
    assert (found(RULE, nd), unknown(RULE, nd)) == ([], [])


@pytest.mark.parametrize("machine", ["Standard_D4s_v5", "Standard_NV36ads_A10_v5"])
def test_a_cluster_that_computes_on_no_gpu_may_have_any_channel(nd, found, machine):
    nd["train"].update(vmSize=machine, upgradeSettings=None)
    nd["cluster"].pop("autoUpgradeProfile")
    nd["train"]["nodeLabels"].pop("gpucluster/pool")
    assert found(RULE, nd) == []


def test_a_pool_for_one_gpu_each_keeps_its_nodes_too(nd, found):
    nd["train"].update(vmSize="Standard_NC40ads_H100_v5", count=1.0)
    nd["cluster"].pop("autoUpgradeProfile")
    assert [name for name, _ in found(RULE, nd)] == ["cluster"]


def test_what_is_not_known_yet_is_said(nd, found, unknown):
    nd["train"]["upgradeSettings"] = nd.unknown
    nd["cluster"]["autoUpgradeProfile"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [
        ("train", "whether its upgrades need a spare node is not known yet"),
        ("cluster", "whether its GPU nodes are upgraded automatically is not known yet"),
    ]


def test_a_cluster_from_elsewhere_is_said(nd, found, unknown):
    nd.remove("cluster")
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("train", "its cluster is not part of this stack: its upgrade channels are unknown")]
