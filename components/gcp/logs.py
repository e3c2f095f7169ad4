"""Logs of pods in Cloud Logging: in the project's bucket `_Default`, or also in the cluster's own bucket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

import pulumi
from pulumi_gcp import logging

from gpucluster.components.cluster.outputs import Logs
from gpucluster.components.gcp.identity import NodeIdentity
from gpucluster.components.gcp.location import Location
from gpucluster.components.planning.names import NAMESPACE, SYSTEM_NAMESPACE

_DIGITS: Final = 6


class LogBucket(pulumi.ComponentResource):
    """A bucket with another retention than `_Default`, and a sink that sends the pods' logs there. Outputs:
    bucket. found: access to the logs.

    `_Default` also receives them: excluding them there would change a setting of the whole project.
    """

    found: Logs

    def __init__(
        self,
        name: str,
        *,
        keep_days: int,
        cluster_name: str,
        location: Location,
        nodes: NodeIdentity,
        after: Sequence[pulumi.Resource],
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """after: the API."""
        super().__init__("gpucluster:gcp:LogBucket", name, {}, opts)
        # A deleted bucket keeps its name for 7 days: another cluster's nodes have another account, with a unique
        # number. Source: Cloud Logging documentation, "Configure log buckets" (delete a bucket).
        bucket_id = pulumi.Output.concat(cluster_name, "-", nodes.account.unique_id.apply(lambda id_: id_[-_DIGITS:]))
        bucket = logging.ProjectBucketConfig(
            f"{name}-bucket",
            project=location.project,
            location=location.region,
            bucket_id=bucket_id,
            retention_days=keep_days,
            description=f"What pods of {cluster_name} print",
            opts=pulumi.ResourceOptions(parent=self, depends_on=list(after)),
        )
        # Within a project the sink needs no permissions to write.
        logging.ProjectSink(
            f"{name}-sink",
            project=location.project,
            destination=pulumi.Output.concat("logging.googleapis.com/", bucket.id),
            filter=f'{_of(cluster_name, location)} AND NOT resource.labels.namespace_name="{SYSTEM_NAMESPACE}"',
            unique_writer_identity=False,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.found = Logs(
            console=pulumi.Output.from_input(_console(cluster_name, location)),
            command=bucket_id.apply(
                lambda id_: _command(
                    cluster_name, location, f" --bucket {id_} --location {location.region} --view _AllLogs"
                )
            ),
        )
        self.register_outputs({"bucket": bucket.id})


def default_logs(cluster_name: str, location: Location) -> Logs:
    """Access to logs that are only in the project's bucket."""
    return Logs(
        console=pulumi.Output.from_input(_console(cluster_name, location)),
        command=pulumi.Output.from_input(_command(cluster_name, location, "")),
    )


def _of(cluster_name: str, location: Location) -> str:
    """The pods of a cluster, in Cloud Logging's query language."""
    return (
        f'resource.type="k8s_container" AND resource.labels.cluster_name="{cluster_name}" '
        f'AND resource.labels.location="{location.region}"'
    )


def _of_a_job(cluster_name: str, location: Location) -> str:
    return f'{_of(cluster_name, location)} AND resource.labels.namespace_name="{NAMESPACE}"'


def _console(cluster_name: str, location: Location) -> str:
    query = quote(_of_a_job(cluster_name, location), safe="")
    return f"https://console.cloud.google.com/logs/query;query={query}?project={location.project}"


def _command(cluster_name: str, location: Location, where: str) -> str:
    query = f'{_of_a_job(cluster_name, location)} AND resource.labels.pod_name:"JOB"'
    return (
        f"gcloud logging read '{query}' --project {location.project}{where} --freshness 1d --order asc "
        "--format 'value(timestamp,resource.labels.pod_name,textPayload,jsonPayload.message)'"
    )
