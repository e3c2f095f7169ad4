"""Outputs of a cluster for programs and stacks: the same on every cloud."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import pulumi

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.planning.names import NAMESPACE, SHARED_CLAIM
from gpucluster.components.shared.buckets import IdentityPlan
from gpucluster.core.program.facts import Facts


@dataclass(frozen=True, kw_only=True)
class Pool:
    """A pool of GPU nodes; they have its name in their label `gpucluster/pool`, and jobs ask for it as their queue.

    machine_type: as the cloud names it. gpus: of one machine. nodes: machines that jobs can use together, spares not
    counted; of an elastic pool the most there can be. elastic: its machines are started for a job and removed after it.
    """

    machine_type: str
    gpus: int
    nodes: int
    elastic: bool


@dataclass(frozen=True, kw_only=True)
class SharedStorage:
    """The storage that all nodes mount.

    id: what its CSI driver calls it by: the id of a file system on AWS, PROJECT/ZONE/INSTANCE or the name of a bucket
    on Google Cloud, the name of a file system on Azure. usable_gib: GiB that data may fill. namespace, claim: of the
    PersistentVolumeClaim that pods mount.
    """

    id: pulumi.Output[str]
    usable_gib: int
    namespace: str = NAMESPACE
    claim: str = SHARED_CLAIM


@dataclass(frozen=True, kw_only=True)
class Registry:
    """The registry of the images of jobs.

    image: name of an image to push and to pull; a tag follows it. login: the command after which `docker push` may
    write to it. caches: public registry -> its replacement in the name of an image.
    """

    image: pulumi.Output[str]
    login: pulumi.Output[str]
    caches: Mapping[str, pulumi.Output[str]]


@dataclass(frozen=True, kw_only=True)
class Logs:
    """The cloud's store of what pods print.

    console: URL to read it at. command: what prints it, with the name of a job instead of JOB.
    """

    console: pulumi.Output[str]
    command: pulumi.Output[str]


class ControlPlane(Protocol):
    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]


class Cluster(pulumi.ComponentResource):
    """A training cluster of any cloud, with its outputs for programs and stacks.

    kubeconfig: holds no credential, but the cloud's command that gets one at each use. account: the billed account: its
    number on AWS, the project on Google Cloud, the id of the resource group on Azure. metrics: URL that answers PromQL
    below /api/v1, for identities that the cloud knows. logs, registry: None if the spec has none.
    bucket: address of the cluster's own, None without one. identities: service account that jobs use to reach buckets
    -> its namespace. fleet: outputs of a stack by which the manager of its fleet reads it, one of them a secret; none
    unless the spec names a manager. slurm_login: command that opens a shell on Slurm's login node; empty without Slurm.
    """

    cluster_name: pulumi.Output[str]
    endpoint: pulumi.Output[str]
    kubeconfig: pulumi.Output[str]
    account: pulumi.Output[str]
    metrics: pulumi.Output[str]
    logs: Logs | None
    pools: Mapping[str, Pool]
    storage: SharedStorage
    registry: Registry | None
    bucket: pulumi.Output[str] | None
    identities: Mapping[str, str]
    fleet: Mapping[str, Any] = {}
    slurm_login: str = ""

    def outputs(self) -> dict[str, Any]:
        """Outputs for other languages and other stacks, by their names there."""
        return {
            "clusterName": self.cluster_name,
            "endpoint": self.endpoint,
            "kubeconfig": self.kubeconfig,
            "account": self.account,
            "metrics": self.metrics,
            **({} if self.logs is None else {"logs": _camel(self.logs)}),
            "pools": {name: _camel(pool) for name, pool in self.pools.items()},
            "storage": _camel(self.storage),
            **({} if self.registry is None else {"registry": _camel(self.registry)}),
            "bucket": "" if self.bucket is None else self.bucket,
            "identities": dict(self.identities),
        }

    def _give(
        self,
        control_plane: ControlPlane,
        *,
        account: pulumi.Input[str],
        metrics: pulumi.Input[str],
        logs: Logs | None,
        pools: Iterable[JobPool],
        storage: SharedStorage,
        registry: Registry | None,
        bucket: pulumi.Output[str] | None,
        identities: Iterable[IdentityPlan],
        facts: Facts,
    ) -> None:
        """Ends the declaration of the cluster."""
        self.cluster_name, self.endpoint = control_plane.cluster_name, control_plane.endpoint
        # Google's provider marks the CA certificate of the API as a secret, which it is not.
        self.kubeconfig = pulumi.Output.unsecret(control_plane.kubeconfig)
        self.account, self.metrics = pulumi.Output.from_input(account), pulumi.Output.from_input(metrics)
        self.pools, self.storage, self.registry = pools_of(pools), storage, registry
        self.logs, self.bucket = logs, bucket
        self.identities = {identity.name: identity.namespace for identity in identities}
        registered = ("clusterName", "endpoint", "kubeconfig")
        self.register_outputs({**facts.registered(), **{name: self.outputs()[name] for name in registered}})


def pools_of(pools: Iterable[JobPool]) -> Mapping[str, Pool]:
    """The pools by name."""
    return {
        pool.name: Pool(
            machine_type=pool.shape.machine_type, gpus=pool.shape.gpus, nodes=pool.nodes, elastic=pool.elastic
        )
        for pool in pools
    }


def _camel(found: Logs | Pool | Registry | SharedStorage) -> dict[str, Any]:
    """Its fields, in the camel case of Pulumi's outputs."""
    values = {field.name: getattr(found, field.name) for field in dataclasses.fields(found)}
    return {re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name): value for name, value in values.items()}
