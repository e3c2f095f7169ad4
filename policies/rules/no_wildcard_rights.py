"""Nobody may do everything to everything."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.aws.checks import no_wildcard_rights as aws
from gpucluster.policies.clouds.azure.checks import no_wildcard_rights as azure
from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.gcp.checks import no_wildcard_rights as gcp
from gpucluster.policies.clouds.kubernetes.checks import no_wildcard_rights as kubernetes
from gpucluster.policies.rule import Severity, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud({"AWS": aws, "Google Cloud": gcp, "Azure": azure, "Kubernetes": kubernetes})

RULE: Final = StackRule(
    name="no-wildcard-rights",
    title="No identity has every right on every resource",
    why="A node or a controller that is taken over can then start GPU machines in the whole account, read every "
    "bucket, and switch off what would have shown it.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.HIGH,
    check=_JUDGED.check,
)
