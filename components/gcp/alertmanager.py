"""Who is told of alerts on Google Cloud: what the Alertmanager of a cluster with managed Prometheus is told to do."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final

import pulumi
from pulumi_kubernetes.core.v1 import Secret
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pydantic import SecretStr

from gpucluster.components.kubernetes.telemetry.alertmanager import alertmanager_config

__all__ = ["alertmanager_secret"]

# What the operator of managed Prometheus reads, in the namespace that it makes. Source: GoogleCloudPlatform/
# prometheus-engine v0.17.2, pkg/operator/operator_config.go (AlertmanagerPublicSecretName, ...Key).
_NAMESPACE: Final = "gmp-public"
_NAME: Final = "alertmanager"
_KEY: Final = "alertmanager.yaml"


def alertmanager_secret(
    name: str,
    webhook: SecretStr,
    *,
    labels: Mapping[str, str],
    after: Sequence[pulumi.Resource],
    opts: pulumi.ResourceOptions,
) -> Secret:
    """The configuration by which it posts to a webhook. after: nodes, with which the operator and its namespace come.
    JSON is YAML too.
    """
    config = alertmanager_config({"webhook_configs": [{"url": webhook.get_secret_value()}]})
    return Secret(
        name,
        metadata=ObjectMetaArgs(name=_NAME, namespace=_NAMESPACE, labels=dict(labels)),
        string_data={_KEY: pulumi.Output.secret(json.dumps(config, indent=2))},
        opts=pulumi.ResourceOptions.merge(opts, pulumi.ResourceOptions(depends_on=list(after))),
    )
