"""Training clusters on Azure, and the parts of one that can be added to existing ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import pulumi

from gpucluster.components.cluster.cloud import importing_sdk
from gpucluster.components.resources.run import refusing
from gpucluster.components.spec.cluster import NetworkSpec, PoolSpec
from gpucluster.components.stack.declaration import (
    cluster_declaration_context,
    declaration_context,
)
from gpucluster.components.stack.from_python import ProgramCloud, SpecInput, priced, with_provider

with importing_sdk("azure"):
    from gpucluster.components.azure import cluster, network
    from gpucluster.components.azure.cluster import provider
    from gpucluster.components.azure.planning.network_plan import AddressPlan
    from gpucluster.components.azure.planning.plan import plan_pool
    from gpucluster.components.azure.pools import training_pool
    from gpucluster.components.azure.pools.node_pool import GpuNodes
    from gpucluster.components.azure.settings import SYSTEMS
    from gpucluster.components.resources.failures import Failures
    from gpucluster.components.resources.label_transformation import labelled

__all__ = ["Location", "Network", "TrainingCluster", "TrainingPool"]


@dataclass(frozen=True, kw_only=True)
class Location:
    """Location of the GPU nodes, and choices there. The component that receives it checks it, and raises `InputError`
    for an invalid one.

    subscription: its id. region: such as eastus. zone: number of the GPU nodes' zone, which is another place in each
    subscription, or "none". scale_set_limit: machines that one scale set may hold there. gpu_driver: who owns the
    drivers, NVIDIA's operators or AKS. proximity_group: one for the training pool. infiniband_feature: whether up looks
    for AKSInfinibandSupport in the subscription. bucket_group, lustre_principal: resource group of the storage account,
    and object id of HPC Cache Resource Provider, or granted if it has its roles, where storage is linked to a
    container. system_machine: of the CPU nodes, where it shall not be the one for the cluster's size. ubuntu: release
    on all nodes; 24.04 for new clusters. torsets: training nodes are labelled with their leaf switch. lustre_zone:
    number of the zone of shared storage, with zone "none".
    """

    subscription: str
    region: str
    zone: str
    scale_set_limit: int = 100
    gpu_driver: Literal["operators", "aks"] = "operators"
    proximity_group: bool = False
    infiniband_feature: Literal["required", "waived"] = "required"
    bucket_group: str | None = None
    lustre_principal: str | None = None
    system_machine: str | None = None
    ubuntu: Literal["22.04", "24.04"] = "22.04"
    torsets: bool = False
    lustre_zone: str | None = None


_AZURE = ProgramCloud("azure", Location)


class TrainingCluster(cluster.TrainingCluster):
    """An AKS cluster with one InfiniBand training pool, its network, storage, queues and the other parts that the spec
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

        opts may bring an azure-native provider, whose subscription has to be the location's; else one is created,
        NAME-azure. Raises an error with every mistake at once, which ends the program before any part of the cluster
        is registered.
        """
        with refusing():
            plan = _AZURE.plan(name, spec, location, machine)
            with cluster_declaration_context(plan, in_user_terms=_AZURE.in_user_terms) as joined:
                own = partial(provider, f"{name}-azure", plan.location)
                super().__init__(name, joined, with_provider(priced(opts, "azure-native", plan), "azure-native", own))


class TrainingPool(training_pool.TrainingPool):
    """A training pool for your AKS cluster: one scale set, which is one InfiniBand domain, with spares.

    Where operators own the drivers, the cluster runs NVIDIA's GPU and network operators. node_pool_name: an Output.
    """

    def __init__(
        self,
        name: str,
        spec: Mapping[str, Any],
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        resource_group: pulumi.Input[str],
        cluster_name: pulumi.Input[str],
        subnet_id: pulumi.Input[str],
        machine: str | None = None,
    ) -> None:
        """name: prefix of every resource, name of the node pool (1 to 12 lower-case letters and digits), and the nodes'
        label `gpucluster/pool`. spec: the fields accelerator, training, purchase, placement, labels and duration of a
        cluster's spec. resource_group: the cluster's. subnet_id: of the nodes.

        opts and machine are as those of TrainingCluster, which raises the same errors.
        """
        with refusing():
            plan, here = _AZURE.part("TrainingPool", name, spec, PoolSpec, location, plan_pool, machine)
            with declaration_context(plan, in_user_terms=_AZURE.in_user_terms):
                super().__init__(
                    name,
                    plan.training,
                    location=here,
                    group=resource_group,
                    nodes=GpuNodes(
                        group=resource_group,
                        cluster_name=cluster_name,
                        subnet_id=subnet_id,
                        version=None,
                        zones=here.zones,
                        driver=here.settings.driver,
                        os_sku=SYSTEMS[here.settings.ubuntu].os_sku,
                        whole={},
                        after=[],
                    ),
                    after=[],
                    pool=name,
                    facts=plan.facts.registered(),
                    opts=Failures().of(
                        labelled(
                            plan.labels, with_provider(opts, "azure-native", partial(provider, f"{name}-azure", here))
                        )
                    ),
                )


class Network(network.Network):
    """A virtual network as a training cluster has it: a subnet for nodes, one for Lustre, clear of InfiniBand's range.

    Its range is 10.0.0.0/16, AKS's own default for services: give the cluster another service_cidr.
    network_id, nodes_id, lustre_id (subnets) and egress_ip, by which nodes reach the internet: Outputs.
    """

    def __init__(
        self,
        name: str,
        location: Location,
        opts: pulumi.ResourceOptions | None = None,
        *,
        resource_group: pulumi.Input[str],
        labels: Mapping[str, str] | None = None,
    ) -> None:
        """labels: on every resource. opts are as those of TrainingCluster, which raises the same errors."""
        with refusing():
            spec, here = _AZURE.part(
                "Network", name, {"labels": labels or {}}, NetworkSpec, location, lambda spec, _: spec
            )
            super().__init__(
                name,
                AddressPlan(),
                here,
                group=resource_group,
                opts=labelled(
                    spec.labels, with_provider(opts, "azure-native", partial(provider, f"{name}-azure", here))
                ),
            )
