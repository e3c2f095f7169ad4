"""The table of taggable types is that of the installed SDK."""

from __future__ import annotations

from gpucluster.policies.clouds.aws.taggable import read_sdk, taggable


def test_the_table_is_up_to_date():
    assert sorted(taggable()) == read_sdk(), "run: python -m gpucluster.policies.clouds.aws.taggable"


def test_types_of_a_training_cluster_are_in_it():
    assert taggable() >= {
        "aws:ec2/vpc:Vpc",
        "aws:ec2/launchTemplate:LaunchTemplate",
        "aws:eks/cluster:Cluster",
        "aws:eks/nodeGroup:NodeGroup",
        "aws:fsx/lustreFileSystem:LustreFileSystem",
        "aws:autoscaling/group:Group",
    }
    assert not taggable() & {"aws:ec2/route:Route", "aws:devopsguru/resourceCollection:ResourceCollection"}
