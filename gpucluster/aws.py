"""Training clusters on AWS, and the parts of one that can be added to existing ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import pulumi

from gpucluster.components.cluster.cloud import importing_sdk
from gpucluster.components.resources.run import refusing
from gpucluster.components.spec.cluster import NetworkSpec, PoolSpec
from gpucluster.components.stack.declaration import (
    cluster_declaration_context,
    declaration_context,
)
from gpucluster.components.stack.from_python import ProgramCloud, SpecInput, priced, with_provider

with importing_sdk("aws"):
    from gpucluster.components.aws import cluster, network
    from gpucluster.components.aws.cluster import provider
    from gpucluster.components.aws.planning.network_plan import NetworkPlan
    from gpucluster.components.aws.planning.plan import plan_pool
    from gpucluster.components.aws.pools import training_pool
    from gpucluster.components.resources.failures import Failures
    from gpucluster.components.resources.label_transformation import labelled

__all__ = ["Location", "Network", "TrainingCluster", "TrainingPool"]


@dataclass(frozen=True, kw_only=True)
class Location:
    """Location of the GPU nodes. The component that receives it checks it, and raises `InputError` for an invalid one.

    region: such as us-east-1. zone: of the GPU nodes, such as us-east-1a, which differs between accounts, or by id,
    such as use1-az4, which does not.
    second_zone: EKS needs two; default: zone a of the region, or b beside a; by id, the first that EKS takes.
    account: number of the only account that may be built in; by default that of the identity that is logged in.
    role: ARN of a role that the login assumes, here and in the kubeconfig; by default none.
    """

    region: str
    zone: str
    second_zone: str | None = None
    account: str | None = None
    role: str | None = None


_AWS = ProgramCloud("aws", Location)


class TrainingCluster(cluster.TrainingCluster):
    """An EKS cluster with one co-located training pool, its network, storage, queues and the other parts that the spec
    requests.

    cluster_name, endpoint, kubeconfig, account, metrics: Outputs; the kubeconfig holds no credential, account is the
    billed one, metrics the URL of their store. pools: by name, machines and GPUs of each. storage: the shared one, its
    capacity in GiB and the claim that pods mount.
    """

    def __init__(
        self,
        name: str,
        spec: SpecInput,
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        machine: str | None = None,
    ) -> None:
        """name: prefix of every resource, which the spec may repeat. spec: a mapping as in a YAML file, the path of
        such a file, or a ClusterSpec. machine: type of the training nodes; default: what the spec implies.

        opts may bring an AWS provider, whose region has to be the location's; else one is created, NAME-aws.
        Raises an error with every mistake at once, which ends the program before any part of the cluster is registered.
        """
        with refusing():
            plan = _AWS.plan(name, spec, location, machine)
            with cluster_declaration_context(plan) as joined:
                own = partial(provider, f"{name}-aws", plan.location)
                super().__init__(name, joined, with_provider(priced(opts, "aws", plan), "aws", own))


class TrainingPool(training_pool.TrainingPool):
    """A training pool for your EKS cluster: nodes with EFA on every card, in one placement group, with spares.

    The cluster runs NVIDIA's and EFA's device plugins, and nodes reach its API from the subnet.
    node_group_name, fabric_group_id (security group of the EFA interfaces): Outputs.
    """

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        cluster_name: pulumi.Input[str],
        cluster_security_group_id: pulumi.Input[str],
        vpc_id: pulumi.Input[str],
        subnet_id: pulumi.Input[str],
        machine: str | None = None,
    ) -> None:
        """name: prefix of every resource, and the nodes' label `gpucluster/pool`. spec: the fields accelerator,
        training, purchase, placement, labels and duration of a cluster's spec. subnet_id: private, in the location's
        zone.

        opts and machine are as those of TrainingCluster, which raises the same errors.
        """
        with refusing():
            plan, here = _AWS.part("TrainingPool", name, spec, PoolSpec, location, plan_pool, machine)
            with declaration_context(plan):
                super().__init__(
                    name,
                    plan.training,
                    location=here,
                    cluster_name=cluster_name,
                    cluster_group_id=cluster_security_group_id,
                    vpc_id=vpc_id,
                    subnet_id=subnet_id,
                    after=[],
                    labels=plan.labels,
                    pool=name,
                    facts=plan.facts.registered(),
                    opts=Failures().of(
                        labelled(plan.labels, with_provider(opts, "aws", partial(provider, f"{name}-aws", here)))
                    ),
                )


class Network(network.Network):
    """A VPC as a training cluster has it: a private subnet for GPU nodes in one zone, two for EKS, S3 without NAT.

    Its range is 10.0.0.0/16. vpc_id, gpu_subnet_id: Outputs; cluster_subnet_ids: a list of two.
    """

    def __init__(
        self,
        name: str,
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        nat: bool = True,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """nat: a way out to the internet. labels: on every resource.

        opts are as those of TrainingCluster, which raises the same errors.
        """
        with refusing():
            values = {"nat": nat, "labels": labels or {}}
            spec, here = _AWS.part("Network", name, values, NetworkSpec, location, lambda spec, _: spec)
            own = with_provider(opts, "aws", partial(provider, f"{name}-aws", here))
            super().__init__(name, NetworkPlan(nat=spec.nat), here, labelled(spec.labels, own))
