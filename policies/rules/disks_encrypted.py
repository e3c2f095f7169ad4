"""What training reads and writes is encrypted where it lies."""

from __future__ import annotations

from typing import Final

from gpucluster.policies.clouds.every import on_every_cloud
from gpucluster.policies.clouds.hidden import with_hidden
from gpucluster.policies.rule import Severity, Stack, StackRule

__all__ = ["RULE"]

_JUDGED: Final = on_every_cloud(Stack, __name__)

RULE: Final = StackRule(
    name="disks-encrypted",
    title="Disks and file systems are encrypted",
    why="A snapshot of a disk holds data sets, checkpoints and credentials of its nodes. A disk cannot be encrypted "
    "later: it is replaced, with its nodes. Google Cloud and Azure encrypt every disk by default.",
    fix=_JUDGED.fix,
    reads=_JUDGED.reads,
    severity=Severity.MEDIUM,
    order=130,
    check=with_hidden(_JUDGED.check, _JUDGED.reads, types=False, template=True),
)
