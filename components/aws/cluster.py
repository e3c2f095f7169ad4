"""The training cluster on AWS: puts the parts together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal

import pulumi
import pulumi_kubernetes as kubernetes

from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.elastic_pools import ElasticPools
from gpucluster.components.aws.home import Home
from gpucluster.components.aws.identity import tagger
from gpucluster.components.aws.job_pools import job_pools
from gpucluster.components.aws.mig_pool import MigPool
from gpucluster.components.aws.monitoring import Monitoring
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.partition import addon_registry
from gpucluster.components.aws.places import collects_metrics
from gpucluster.components.aws.plan import AwsClusterPlan
from gpucluster.components.aws.storage import Storage
from gpucluster.components.aws.system_pool import SystemPool
from gpucluster.components.aws.training_pool import TrainingPool
from gpucluster.components.kubernetes.checks import check_object
from gpucluster.components.kubernetes.cluster_telemetry import ClusterTelemetry
from gpucluster.components.kubernetes.devices import Devices
from gpucluster.components.kubernetes.gpu_exporter import GpuExporter
from gpucluster.components.kubernetes.jobs import Jobs
from gpucluster.components.kubernetes.volume import Volume
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labels import kubernetes_labels
from gpucluster.components.outputs import Pool, SharedStorage, pools_of

__all__ = ["TrainingCluster"]


class TrainingCluster(pulumi.ComponentResource):
    """An EKS cluster with one co-located training pool.

    Its facts (labels, budget, exemptions, GPU counts, equivalence) are inputs as well as outputs: plan files show a
    component's inputs only, and policies see its outputs only.
    Outputs besides: cluster_name, endpoint, kubeconfig (which holds no credential), pools by name, storage.
    """

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    pools: Mapping[str, Pool]
    storage: SharedStorage

    def __init__(self, name: str, plan: AwsClusterPlan, opts: pulumi.ResourceOptions | None = None) -> None:
        checked = pulumi.ResourceOptions(transformations=[check_object])
        super().__init__(
            "gpucluster:aws:TrainingCluster", name, plan.facts.registered(), pulumi.ResourceOptions.merge(opts, checked)
        )
        here = pulumi.ResourceOptions(parent=self)
        tags = tagger(plan.labels, stack=plan.stack)
        labels = kubernetes_labels(plan.labels, project=pulumi.get_project(), stack=plan.stack)

        network = Network(f"{name}-network", plan.network, plan.location, tags, here)
        control_plane = ControlPlane(
            f"{name}-control-plane",
            cluster_name=plan.cluster_name,
            version=plan.kubernetes_version,
            region=plan.location.region,
            access=plan.access,
            vpc_id=network.vpc_id,
            subnet_ids=network.cluster_subnet_ids,
            nodes_after=network.ways_out,
            tags=tags,
            opts=here,
        )
        system = SystemPool(
            f"{name}-system",
            plan.system,
            control_plane=control_plane,
            subnet_ids=network.cluster_subnet_ids,
            labels=labels,
            tags=tags,
            opts=here,
        )
        inside = pulumi.ResourceOptions(
            parent=self,
            providers=[
                kubernetes.Provider(
                    f"{name}-kubernetes",
                    kubeconfig=control_plane.kubeconfig,
                    # Without delete_unreachable: it would forget node pools, and leave their machines running, whenever
                    # the API is out of reach for a while.
                    enable_server_side_apply=True,
                    opts=pulumi.ResourceOptions(parent=self),
                )
            ],
        )
        workspace = Workspace(f"{name}-workspace", labels=labels, opts=inside)
        training = TrainingPool(
            f"{name}-training",
            plan.training,
            location=plan.location,
            cluster_name=control_plane.cluster_name,
            cluster_group_id=control_plane.security_group_id,
            vpc_id=network.vpc_id,
            subnet_id=network.gpu_subnet_id,
            # These nodes are most of the bill: an API that `up` can't reach fails before they start.
            after=[*control_plane.before_nodes, workspace.namespace],
            labels=labels,
            tags=tags,
            opts=here,
        )
        storage = Storage(
            f"{name}-storage",
            plan.storage,
            network=network,
            control_plane=control_plane,
            client_cidr=plan.network.vpc_cidr,
            fabric_group_id=training.fabric_group_id,
            after=system.ready,
            tags=tags,
            opts=here,
        )
        home = None
        if plan.home is not None:
            files = Home(
                f"{name}-home",
                plan.home,
                vpc_id=network.vpc_id,
                subnet_ids=network.zone_subnet_ids,
                control_plane=control_plane,
                after=system.ready,
                tags=tags,
                opts=here,
            )
            home = Volume(
                driver="efs.csi.aws.com",
                handle=files.file_system_id,
                capacity_gib=max(1, math.ceil(Decimal(plan.home.expected_gib))),
                after=files.ready,
            )
        workspace.mount(
            Volume(
                driver="fsx.csi.aws.com",
                handle=storage.file_system_id,
                attributes={"dnsname": storage.dns_name, "mountname": storage.mount_name},
                mount_options=["flock", "noatime", "lazystatfs"],
                capacity_gib=plan.storage.usable_gib,
                after=storage.ready,
            ),
            home,
        )
        Devices(
            f"{name}-devices",
            registry=plan.access.registry,
            efa_registry=addon_registry(plan.location.region),
            mig=None if plan.mig is None else plan.mig.pool.strategy,
            after=system.ready,
            opts=inside,
        )
        if plan.mig is not None:
            MigPool(
                f"{name}-mig",
                plan.mig,
                zone=plan.location.zone,
                network=network,
                control_plane=control_plane,
                after=[workspace.namespace],
                labels=labels,
                tags=tags,
                opts=here,
            )
        if plan.elastic is not None:
            ElasticPools(
                f"{name}-elastic",
                plan.elastic,
                region=plan.location.region,
                zone=plan.location.zone,
                access=plan.access,
                network=network,
                control_plane=control_plane,
                after=system.ready,
                labels=labels,
                tags=tags,
                opts=inside,
            )
        GpuExporter(
            f"{name}-gpu-exporter", registry=plan.access.registry, labels=labels, after=system.ready, opts=inside
        )
        monitoring = Monitoring(
            f"{name}-monitoring",
            plan.telemetry,
            control_plane=control_plane,
            collected=collects_metrics(plan.location.region),
            subnet_ids=network.cluster_subnet_ids,
            tags=tags,
            opts=here,
        )
        ClusterTelemetry(
            f"{name}-telemetry",
            plan.telemetry,
            cluster_name=plan.cluster_name,
            sink=monitoring.sink() if plan.telemetry.collector else None,
            tolerations=[],
            registry=plan.access.registry,
            labels=labels,
            after=system.ready,
            opts=inside,
        )
        Jobs(
            f"{name}-jobs",
            job_pools(plan),
            workspace=workspace,
            home=home is not None,
            tolerations=[],
            registry=plan.access.registry,
            labels=labels,
            after=system.ready,
            opts=inside,
        )
        self.cluster_name = control_plane.cluster_name
        self.endpoint = control_plane.endpoint
        self.kubeconfig = control_plane.kubeconfig
        self.pools = pools_of(job_pools(plan))
        self.storage = SharedStorage(
            id=pulumi.Output.from_input(storage.file_system_id), usable_gib=plan.storage.usable_gib
        )
        self.register_outputs(
            {
                **plan.facts.registered(),
                "clusterName": self.cluster_name,
                "endpoint": self.endpoint,
                "kubeconfig": self.kubeconfig,
            }
        )
