"""Requirements for images of jobs on a fabric, checked by image name and tag. Imports no Pulumi."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from packaging.version import Version

from gpucluster.core.catalog.fabrics import CUDA, DatedTag, FabricRelease, dated_tags, torch_from

_FIRST: Final = ""
_LAST: Final = "~"
"""Sorts before and after every tag."""


def image_values(release: FabricRelease) -> dict[str, object]:
    """Values of the policy; for a release that accepts every image, values that refuse none."""
    cuda, below = release.cuda, release.torch_below
    refused = [_row(torch_from(below), _FIRST, _LAST)] if below else []
    for row, following in pairwise([*dated_tags(), None]):
        if row is not None and _is_wrong(row, release):
            until = following.tag_from if following is not None and following.image == row.image else _LAST
            refused.append(_row(f"(?:^|/){row.image}:[0-9]{{2}}[.][0-9]{{2}}", row.tag_from, until))
    allowed = [
        *([f"CUDA {cuda}"] if cuda else []),
        *([f"PyTorch below {below}, for the fabric's NCCL {release.nccl} lacks what later ones call"] if below else []),
    ]
    return {
        "cuda_tag": CUDA,
        "cuda": cuda or "",
        "refused_images": refused,
        "allowed_images": " and ".join(allowed) or "any",
        "plugin": release.plugin_version,
        "pytorch": release.pytorch,
    }


def _row(matches: str, since: str, until: str) -> dict[str, str]:
    return {"image": matches, "from": since, "until": until}


def _is_wrong(row: DatedTag, release: FabricRelease) -> bool:
    newer = bool(release.torch_below) and Version(row.torch) >= Version(release.torch_below)
    return newer or release.cuda not in (None, row.cuda)
