"""Training clusters on Google Cloud, and the parts of one that can be added to existing ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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

with importing_sdk("gcp"):
    from gpucluster.components.gcp import cluster, network
    from gpucluster.components.gcp.cluster import provider
    from gpucluster.components.gcp.planning.plan import plan_networks, plan_pool
    from gpucluster.components.gcp.pools import training_pool
    from gpucluster.components.resources.failures import Failures
    from gpucluster.components.resources.label_transformation import labelled

__all__ = ["Location", "Network", "TrainingCluster", "TrainingPool"]


@dataclass(frozen=True, kw_only=True)
class Location:
    """Location of the GPU nodes. The component that receives it checks it, and raises `InputError` for an invalid one.

    project: its id. region: such as us-central1. zone: of the GPU nodes and their storage, such as us-central1-b.
    """

    project: str
    region: str
    zone: str


_GCP = ProgramCloud("gcp", Location)


class TrainingCluster(cluster.TrainingCluster):
    """A GKE cluster with one co-located training pool, its networks, storage, queues and the other parts that the spec
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

        opts may bring a provider of Google Cloud, whose project and region have to be the location's; else one is
        created, NAME-gcp. Raises an error with every mistake at once, which ends the program before any part of the
        cluster is registered.
        """
        with refusing():
            plan = _GCP.plan(name, spec, location, machine)
            with cluster_declaration_context(plan) as joined:
                own = partial(provider, f"{name}-gcp", plan.location)
                super().__init__(name, joined, with_provider(priced(opts, "gcp", plan), "gcp", own))


class TrainingPool(training_pool.TrainingPool):
    """A training pool for your regional GKE cluster: nodes placed compactly in one zone, with spares.

    Machines with GPU networks need a cluster with Dataplane V2 and multi-networking, and the GKENetworkParamSet and
    Network of each in it. node_pool_name: an Output.
    """

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        cluster_name: pulumi.Input[str],
        service_account: pulumi.Input[str],
        gpu_subnets: Sequence[tuple[pulumi.Input[str], pulumi.Input[str]]] = (),
        machine: str | None = None,
    ) -> None:
        """name: prefix of every resource, name of the node pool, and the nodes' label `gpucluster/pool`. spec: the
        fields accelerator, training, purchase, placement, labels and duration of a cluster's spec. service_account: its
        email, which the nodes act as. gpu_subnets: network and subnet, by name, for each GPU network of the machine.

        opts and machine are as those of TrainingCluster, which raises the same errors.
        """
        with refusing():
            planned = partial(plan_pool, gpu_subnets=len(gpu_subnets))
            plan, here = _GCP.part("TrainingPool", name, spec, PoolSpec, location, planned, machine)
            with declaration_context(plan):
                super().__init__(
                    name,
                    plan.training,
                    location=here,
                    cluster_name=cluster_name,
                    node_account=service_account,
                    gpu_subnets=gpu_subnets,
                    after=[],
                    pool=name,
                    facts=plan.facts.registered(),
                    opts=Failures().of(
                        labelled(plan.labels, with_provider(opts, "gcp", partial(provider, f"{name}-gcp", here)))
                    ),
                )


class Network(network.Network):
    """Networks as a training cluster has them: one for nodes and pods, and those that the machine's GPUs need.

    Their ranges are in 10.0.0.0/12. The subnetwork has secondary ranges called pods and services.
    network, subnetwork: resources. gpu_subnets: network and subnet of each GPU network, for a TrainingPool.
    """

    def __init__(
        self,
        name: str,
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        machine: str,
        nat: bool = True,
        private_services: bool = False,
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """machine: type of the GPU nodes, such as a3-megagpu-8g. nat: a way out to the internet. private_services: a
        range for Google's own services, such as Lustre. labels: on what takes any.

        opts are as those of TrainingCluster, which raises the same errors.
        """
        with refusing():
            values = {"nat": nat, "private_services": private_services, "labels": labels or {}}
            (spec, plan), here = _GCP.part("Network", name, values, NetworkSpec, location, plan_networks, machine)
            super().__init__(
                name,
                plan,
                here,
                after=[],
                opts=labelled(spec.labels, with_provider(opts, "gcp", partial(provider, f"{name}-gcp", here))),
            )
