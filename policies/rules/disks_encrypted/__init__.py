"""Training data is encrypted at rest."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.clouds.per_cloud import stack_checks
from gpucluster.policies.rule import Severity, StackRule

RULE: Final = StackRule(
    name="disks-encrypted",
    title="Disks and file systems are encrypted",
    why="A snapshot of a disk holds data sets, checkpoints and credentials of its nodes. A disk cannot be encrypted "
    "later: it is replaced, with its nodes. Google Cloud and Azure encrypt every disk by default.",
    severity=Severity.MEDIUM,
    order=130,
    **with_hidden(stack_checks(__name__), types=False, template=True),
)
