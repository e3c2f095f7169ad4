"""Slurm's files for nodes, partitions and switches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import yaml

from gpucluster.core.slurm import (
    SlurmCluster,
    SlurmNode,
    SlurmPartition,
    gres_conf,
    hostlist,
    slurm_conf,
    topology_conf,
    topology_yaml,
)


def trained(number: int, *switches: str) -> SlurmNode:
    return SlurmNode(
        name=f"training-{number}",
        cpus=192,
        memory_mib=1_500_000,
        gpus={"h100": 8},
        features=("training", "efa"),
        switches=switches,
    )


TRAINING = [trained(number) for number in range(3)]
SLICED = SlurmNode(name="mig-0", cpus=96, memory_mib=900_000, gpus={"1g.10gb": 14, "3g.40gb": 2}, detect="nvml")
STARTED = SlurmNode(name="elastic-0", cpus=8, memory_mib=64_000, gpus={"h100": 1})
PARTITIONS = [
    SlurmPartition(name="training", nodes=[node.name for node in TRAINING], default=True, exclusive=True),
    SlurmPartition(name="mig", nodes=["mig-0"], max_nodes=1, max_minutes=720),
    SlurmPartition(name="elastic", nodes=["elastic-0"], memory_per_gpu_mib=64_000),
]


def test_equal_nodes_share_a_line_and_each_pool_is_a_partition() -> None:
    assert slurm_conf(SlurmCluster(nodes=[*TRAINING, SLICED, STARTED], partitions=PARTITIONS)) == (
        "GresTypes=gpu\n"
        "NodeName=training-[0-2] CPUs=192 RealMemory=1500000 Gres=gpu:h100:8 Feature=training,efa State=UNKNOWN\n"
        "NodeName=mig-0 CPUs=96 RealMemory=900000 Gres=gpu:1g.10gb:14,gpu:3g.40gb:2 State=UNKNOWN\n"
        "NodeName=elastic-0 CPUs=8 RealMemory=64000 Gres=gpu:h100:1 State=UNKNOWN\n"
        "PartitionName=training Nodes=training-[0-2] Default=YES MaxNodes=UNLIMITED MaxTime=UNLIMITED "
        "OverSubscribe=EXCLUSIVE State=UP\n"
        "PartitionName=mig Nodes=mig-0 Default=NO MaxNodes=1 MaxTime=720 State=UP\n"
        "PartitionName=elastic Nodes=elastic-0 Default=NO MaxNodes=UNLIMITED MaxTime=UNLIMITED "
        "DefMemPerGPU=64000 State=UP\n"
    )


def test_nodes_without_gpus_have_no_gres() -> None:
    plain = replace(SLICED, gpus={})
    assert slurm_conf(SlurmCluster(nodes=[plain], partitions=[])) == (
        "NodeName=mig-0 CPUs=96 RealMemory=900000 State=UNKNOWN\n"
    )
    assert gres_conf([plain]) == ""


def test_a_node_with_an_address_has_a_line_of_its_own() -> None:
    cluster = SlurmCluster(nodes=TRAINING, partitions=[])
    assert slurm_conf(cluster, {"training-1": "NodeAddr=10.0.0.4 Port=7000"}) == (
        "GresTypes=gpu\n"
        "NodeName=training-[0,2] CPUs=192 RealMemory=1500000 Gres=gpu:h100:8 Feature=training,efa State=UNKNOWN\n"
        "NodeName=training-1 NodeAddr=10.0.0.4 Port=7000 CPUs=192 RealMemory=1500000 Gres=gpu:h100:8 "
        "Feature=training,efa State=UNKNOWN\n"
    )


def test_gpus_are_detected_or_files() -> None:
    assert gres_conf([*TRAINING, SLICED, STARTED]) == (
        "NodeName=training-[0-2],elastic-0 AutoDetect=nvidia\nNodeName=mig-0 AutoDetect=nvml\n"
    )
    files = gres_conf([*TRAINING, SLICED], lambda kind, count: [f"/gpus/{kind}-{one}" for one in range(count)])
    assert files == (
        "NodeName=training-[0-2] Name=gpu Type=h100 File=/gpus/h100-[0-7]\n"
        "NodeName=mig-0 Name=gpu Type=1g.10gb File=/gpus/1g.10gb-[0-13]\n"
        "NodeName=mig-0 Name=gpu Type=3g.40gb File=/gpus/3g.40gb-[0-1]\n"
    )


def test_leaves_stand_before_the_switches_that_name_them() -> None:
    nodes = [trained(0, "block", "rack-1"), trained(1, "block", "rack-1"), trained(2, "block", "rack-2")]
    assert topology_conf(nodes) == (
        "SwitchName=rack-1 Nodes=training-[0-1]\n"
        "SwitchName=rack-2 Nodes=training-2\n"
        "SwitchName=block Switches=rack-[1-2]\n"
    )
    assert yaml.safe_load(topology_yaml(nodes)) == [
        {
            "topology": "placement",
            "cluster_default": True,
            "tree": {
                "switches": [
                    {"switch": "rack-1", "nodes": "training-[0-1]"},
                    {"switch": "rack-2", "nodes": "training-2"},
                    {"switch": "block", "children": "rack-[1-2]"},
                ]
            },
        }
    ]


def test_a_node_of_unknown_place_is_apart_and_still_in_the_tree() -> None:
    assert topology_conf([trained(0, "block", "rack-1"), trained(1, "block", "rack-2"), SLICED]) == (
        "SwitchName=rack-1 Nodes=training-0\n"
        "SwitchName=rack-2 Nodes=training-1\n"
        "SwitchName=block Switches=rack-[1-2]\n"
        "SwitchName=unplaced Nodes=mig-0\n"
        "SwitchName=cluster Switches=block,unplaced\n"
    )


def test_without_a_known_place_the_network_is_flat() -> None:
    assert topology_conf(TRAINING) == ""
    assert yaml.safe_load(topology_yaml(TRAINING)) == [{"topology": "placement", "cluster_default": True, "flat": True}]


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["n7"], "n7"),
        (["n3", "n1", "n2", "n7"], "n[1-3,7]"),
        (["n9", "n10"], "n[9-10]"),
        (["vm08", "vm09", "vm10"], "vm[08-09],vm10"),
        (["n0", "n00"], "n0,n00"),
        (["gke-pool-a1b2", "login"], "gke-pool-a1b2,login"),
        (["a1", "b1", "a2"], "a[1-2],b1"),
    ],
)
def test_names_with_numbers_in_a_row_are_one_range(names: Sequence[str], text: str) -> None:
    assert hostlist(names) == text


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: SlurmCluster(nodes=[SLICED, SLICED], partitions=[]), "nodes repeat: mig-0"),
        (lambda: SlurmCluster(nodes=[replace(SLICED, name="a b")], partitions=[]), "'a b'"),
        (lambda: SlurmCluster(nodes=[SLICED], partitions=PARTITIONS[:1]), "training-0, training-1, training-2"),
        (
            lambda: SlurmCluster(nodes=[SLICED], partitions=[PARTITIONS[1], PARTITIONS[1]]),
            "partitions repeat: mig",
        ),
        (lambda: topology_conf([trained(0, "a", "x"), trained(1, "b", "x")]), "switch x is below a and b"),
        (lambda: topology_conf([trained(0, "a", "x"), trained(1, "a")]), "switch a has both nodes and switches"),
        (lambda: topology_conf([trained(0, "a", "a")]), "switch a"),
        (lambda: topology_yaml([trained(0, "a,b")]), "'a,b'"),
    ],
)
def test_what_slurm_would_misread_is_an_error(make: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()
