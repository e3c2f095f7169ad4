"""Buckets of Cloud Logging, and sinks that write to them.

Sources: hashicorp/terraform-provider-google-beta@93c65b2d logging/resource_logging_project_bucket_config.go and
resource_logging_project_sink.go for ids; Cloud Logging API v2, LogBucket and LogSink, for the defaults of new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from gpucluster.sandbox.clouds.gcp.model import ManagedResource, models

_SHARED_WRITER: Final = "serviceAccount:cloud-logs@system.gserviceaccount.com"


@models(
    "gcp:logging/projectBucketConfig:ProjectBucketConfig",
    id="projects/{project}/locations/{location}/buckets/{bucketId}",
    defaults={"retentionDays": 30},
)
def project_bucket_config(managed: ManagedResource) -> Mapping[str, Any]:
    return {
        "description": managed.inputs.get("description") or "",
        "lifecycleState": "ACTIVE",
        "name": managed.id,
        "project": managed.project,
    }


@models("gcp:logging/projectSink:ProjectSink", id="projects/{project}/sinks/{name}")
def project_sink(managed: ManagedResource) -> Mapping[str, Any]:
    """A sink within its project has no identity of its own."""
    inside = str(managed.inputs.get("destination", "")).startswith(
        f"logging.googleapis.com/projects/{managed.project}/"
    )
    own = f"serviceAccount:service-{managed.project}@gcp-sa-logging.iam.gserviceaccount.com"
    unique = managed.inputs.get("uniqueWriterIdentity") is not False
    return {"project": managed.project, "writerIdentity": "" if inside else own if unique else _SHARED_WRITER}
