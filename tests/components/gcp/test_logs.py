"""Where Google Cloud keeps what pods print, typed from the documentation of Cloud Logging."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from gpucluster.components.cluster.outputs import Logs
from gpucluster.components.gcp.cloud import CLOUD
from gpucluster.components.gcp.location import Location
from gpucluster.components.spec.cluster import ClusterSpec

ROOT = Path(__file__).parents[3]
Registered = list[tuple[str, str, dict[str, Any]]]
Declare = Callable[[int], tuple[dict[str, dict[str, Any]], dict[str, str]]]
PODS = (
    'resource.type="k8s_container" AND resource.labels.cluster_name="trial-dev" AND '
    'resource.labels.location="us-central1"'
)


@pytest.fixture
def declared(registered: Callable[[Callable[[], object]], Registered]) -> Declare:
    """Gives what a trial that keeps logs for so many days registers, by name, and what it tells of them."""

    def run(days: int) -> tuple[dict[str, dict[str, Any]], dict[str, str]]:
        from gpucluster.components.gcp.cluster import TrainingCluster

        fields = yaml.safe_load((ROOT / "stacks/specs/trial.yaml").read_text())
        spec = ClusterSpec.model_validate({**fields, "telemetry": {"logs": {"keep_days": days}}})
        plan = CLOUD.plan_cluster(
            spec, Location(project="my-project", region="us-central1", zone="us-central1-a"), stack="dev"
        )
        told: dict[str, str] = {}

        def program() -> None:
            found: Logs | None = TrainingCluster(plan.name, plan).logs
            if found is not None:
                found.console.apply(lambda value: told.update(console=value))
                found.command.apply(lambda value: told.update(command=value))

        return {name: inputs for _, name, inputs in registered(program)}, told

    return run


def collected(found: dict[str, dict[str, Any]]) -> list[str]:
    return found["trial-control-plane-cluster"]["loggingConfig"]["enableComponents"]


def test_for_no_days_nothing_is_collected(declared: Declare) -> None:
    found, told = declared(0)
    assert (collected(found), told) == (["SYSTEM_COMPONENTS", "APISERVER"], {})


def test_kept_logs_are_read_from_their_own_bucket(declared: Declare) -> None:
    _, told = declared(90)
    assert told["command"] == (
        f'gcloud logging read \'{PODS} AND resource.labels.namespace_name="training" AND '
        'resource.labels.pod_name:"JOB"\' --project my-project --bucket trial-dev-123456 --location us-central1 '
        "--view _AllLogs --freshness 1d --order asc "
        "--format 'value(timestamp,resource.labels.pod_name,textPayload,jsonPayload.message)'"
    )
