"""Nobody may do everything to everything."""

from __future__ import annotations

from typing import Final

from policies.clouds.aws.checks import no_wildcard_rights as aws
from policies.clouds.azure.checks import no_wildcard_rights as azure
from policies.clouds.every import on_every_cloud
from policies.clouds.gcp.checks import no_wildcard_rights as gcp
from policies.clouds.kubernetes.checks import no_wildcard_rights as kubernetes
from policies.rule import Severity, StackRule

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
