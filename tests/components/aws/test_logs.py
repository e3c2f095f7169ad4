"""What collects the logs of pods on EKS, typed from Fluent Bit's documentation (tail, cloudwatch_logs)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
Register = Callable[..., dict[str, Any]]
IMAGE = (
    "aws-observability/aws-for-fluent-bit:3.4.15"
    "@sha256:88e1b56cedb230486afeca6eeb26c5f6bd59c48879d0054d1674d5a58838c607"
)
SETTINGS = r"""[SERVICE]
    Flush 5
    Grace 30
    Log_Level warn
    storage.path /state/buffer
[INPUT]
    Name tail
    Path /var/log/containers/*.log
    Exclude_Path /var/log/containers/*_kube-system_*.log
    Tag_Regex (?<pod_name>[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*)_(?<namespace_name>[^_]+)_(?<container_name>.+)-(?<container_id>[a-z0-9]{64})\.log$
    Tag <namespace_name>.<pod_name>.<container_name>
    multiline.parser cri
    DB /state/read.db
    Read_from_Head On
    Skip_Long_Lines On
    storage.type filesystem
[OUTPUT]
    Name cloudwatch_logs
    Match *
    region us-east-1
    log_group_name /aws/containerinsights/trial-aws-trial/application
    log_stream_prefix pod.
    log_key log
    auto_create_group false
    Retry_Limit 5
    storage.total_limit_size 1G
"""  # noqa: E501


@pytest.fixture(scope="module")
def daemon(register: Register) -> dict[str, Any]:
    """What the trial registers of it, by the end of the name."""
    found = register()
    return {name.removeprefix("trial-logs-"): it.inputs for name, it in found.items() if name.startswith("trial-logs-")}


def test_other_settings_are_other_pods(daemon: dict[str, Any], register: Register) -> None:
    def read(daemon: Any) -> str:
        return daemon["spec"]["template"]["metadata"]["annotations"]["gpucluster/files"]

    other = register(name="other")["other-logs-daemon"].inputs
    assert read(daemon["daemon"]) != read(other)
