"""The training cluster on AWS: puts the parts together."""

from __future__ import annotations

import math
from decimal import Decimal

import pulumi
import pulumi_kubernetes as kubernetes

from gpucluster.components.aws.block_storage import BlockStorage
from gpucluster.components.aws.control_plane import ControlPlane
from gpucluster.components.aws.elastic_pools import ElasticPools
from gpucluster.components.aws.home import Home
from gpucluster.components.aws.identity import tagger
from gpucluster.components.aws.job_pools import job_pools
from gpucluster.components.aws.logs import PodLogs
from gpucluster.components.aws.mig_pool import MigPool
from gpucluster.components.aws.monitoring import Monitoring
from gpucluster.components.aws.network import Network
from gpucluster.components.aws.node_health import CONDITIONS
from gpucluster.components.aws.own_bucket import OwnBucket, bucket_identities
from gpucluster.components.aws.partition import addon_registry
from gpucluster.components.aws.places import collects_metrics
from gpucluster.components.aws.plan import AwsClusterPlan
from gpucluster.components.aws.registry import registry
from gpucluster.components.aws.storage import Storage
from gpucluster.components.aws.submitters import group_of, submitter_access
from gpucluster.components.aws.system_pool import SystemPool
from gpucluster.components.aws.training_pool import TrainingPool
from gpucluster.components.kubernetes.checks import check_object
from gpucluster.components.kubernetes.cluster_telemetry import ClusterTelemetry
from gpucluster.components.kubernetes.devices import Devices
from gpucluster.components.kubernetes.gpu_exporter import GpuExporter
from gpucluster.components.kubernetes.job_identities import JobIdentities
from gpucluster.components.kubernetes.jobs import Jobs
from gpucluster.components.kubernetes.node_health.objects import NodeHealth
from gpucluster.components.kubernetes.node_health.plan import settings_json
from gpucluster.components.kubernetes.team_space import people_spaces
from gpucluster.components.kubernetes.volume import Volume
from gpucluster.components.kubernetes.workspace import Workspace
from gpucluster.components.labels import kubernetes_labels
from gpucluster.components.names import ELASTIC, MIG_POOL, SYSTEM_POOL, TRAINING_POOL
from gpucluster.components.outputs import Cluster, SharedStorage


class TrainingCluster(Cluster):
    """An EKS cluster with one co-located training pool.

    Its facts (labels, budget, exemptions, GPU counts, equivalence) are inputs as well as outputs: plan files show a
    component's inputs only, and policies see its outputs only.
    """

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
            extended=plan.versions.extended,
            region=plan.location.region,
            role=plan.location.role,
            access=plan.access,
            vpc_id=network.vpc_id,
            subnet_ids=network.cluster_subnet_ids,
            service_cidr=plan.network.service_cidr,
            existing_key=plan.secrets_key,
            nodes_after=network.ways_out,
            tags=tags,
            opts=here,
        )
        system = SystemPool(
            f"{name}-system",
            plan.system,
            version=plan.versions.system,
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
                    enable_config_map_mutable=True,  # a replaced one is missing for a moment to pods that start
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
            repair=plan.broken_nodes == "drain",
            version=plan.versions.nodes,
            labels=labels,
            tags=tags,
            gpu_hour_usd=plan.telemetry.watched.gpu_hour_usd,
            opts=here,
        )
        own = None if plan.bucket is None else OwnBucket(f"{name}-bucket", plan.bucket, tags, here)
        storage = Storage(
            f"{name}-storage",
            plan.storage,
            network=network,
            control_plane=control_plane,
            client_cidr=plan.network.vpc_cidr,
            fabric_group_id=training.fabric_group_id,
            own_bucket=own,
            after=system.ready,
            tags=tags,
            opts=here,
        )
        BlockStorage(
            f"{name}-block-storage",
            control_plane=control_plane,
            after=system.ready,
            labels=labels,
            tags=tags,
            opts=inside,
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
        submitter_access(
            f"{name}-submitters",
            plan.people.memberships,
            cluster_name=control_plane.cluster_name,
            tags=tags,
            opts=here,
        )
        spaces = people_spaces(
            name,
            plan.people,
            lambda namespace, _: [group_of(namespace)],
            workspace=workspace,
            labels=labels,
            opts=inside,
        )
        if plan.identities:
            JobIdentities(
                f"{name}-identities",
                bucket_identities(
                    f"{name}-job", plan.identities, own, control_plane=control_plane, tags=tags, opts=here
                ),
                workspace=workspace,
                spaces=spaces,
                labels=labels,
                opts=inside,
            )
        Devices(
            f"{name}-devices",
            registry=plan.access.registry,
            efa_registry=addon_registry(plan.location.region),
            mig=None if plan.mig is None else plan.mig.pool.strategy,
            after=system.ready,
            opts=inside,
        )
        node_roles = {SYSTEM_POOL: system.node_role, TRAINING_POOL: training.node_role}
        if plan.mig is not None:
            node_roles[MIG_POOL] = MigPool(
                f"{name}-mig",
                plan.mig,
                zone=plan.location.zone,
                network=network,
                control_plane=control_plane,
                after=[workspace.namespace],
                repair=plan.broken_nodes == "drain",
                version=plan.versions.nodes,
                labels=labels,
                tags=tags,
                opts=here,
            ).node_role
        if plan.elastic is not None:
            node_roles[ELASTIC] = ElasticPools(
                f"{name}-elastic",
                plan.elastic,
                region=plan.location.region,
                zone=plan.location.zone,
                access=plan.access,
                network=network,
                control_plane=control_plane,
                after=system.ready,
                image=plan.versions.release,
                labels=labels,
                tags=tags,
                opts=inside,
            ).node_role
        images = None
        if plan.registry is not None:
            images = registry(
                f"{name}-registry",
                plan.registry,
                region=plan.location.region,
                node_roles=node_roles,
                tags=tags,
                parent=self,
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
        logs = None
        if plan.keep_logs_days:
            logs = PodLogs(
                f"{name}-logs",
                keep_days=plan.keep_logs_days,
                control_plane=control_plane,
                cluster_name=plan.cluster_name,
                registry=plan.access.registry,
                labels=labels,
                after=control_plane.before_nodes,
                tags=tags,
                opts=inside,
            ).found
        if plan.broken_nodes != "leave":
            NodeHealth(
                f"{name}-node-health",
                settings_json(plan.broken_nodes, job_pools(plan), CONDITIONS),
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
            spaces=spaces,
            opts=inside,
        )
        self._give(
            control_plane,
            account=control_plane.cluster.arn.apply(lambda arn: arn.split(":")[4]),
            metrics=monitoring.query_endpoint.apply(lambda url: url and url.rstrip("/")),
            logs=logs,
            pools=job_pools(plan),
            storage=SharedStorage(
                id=pulumi.Output.from_input(storage.file_system_id), usable_gib=plan.storage.usable_gib
            ),
            registry=images,
            bucket=None if own is None else own.address,
            identities=plan.identities,
            facts=plan.facts,
        )
