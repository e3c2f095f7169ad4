"""Rules for the image that a TrainJob names: one that can't load its fabric is refused where its name says so, instead
of ending on every node when NCCL starts. Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Final

from gpucluster.catalog.fabric_releases import FabricRelease, version
from gpucluster.catalog.image_tags import CUDA, DatedTag, dated_tags, torch_from

IMAGE_VARIABLES: Final = (
    {
        "name": "image",
        "expression": "variables.fabric && has(object.spec.trainer) && has(object.spec.trainer.image) ? "
        "object.spec.trainer.image.split('@')[0] : ''",
    },
    {"name": "tag", "expression": "variables.image.substring(variables.image.lastIndexOf(':') + 1)"},
)
"""Of a policy that has the variable `fabric`: whether the job is one over the fabric."""


def image_validations(release: FabricRelease) -> list[dict[str, str]]:
    """What the release asks of an image, none where it takes every one."""
    found: list[dict[str, str]] = []
    if release.cuda:
        other = f"(variables.tag.matches('{CUDA}') && !variables.tag.matches('cu(?:da)?-?{release.cuda}'))"
        dated = _dated(lambda row: row.cuda != release.cuda)
        found.append(_validation(" || ".join([other, *dated]), f"CUDA {release.cuda}", release))
    if below := release.torch_below:
        own = f"variables.image.matches('{torch_from(below)}')"
        dated = _dated(lambda row: version(row.torch) >= version(below))
        brings = f"PyTorch below {below}, for the fabric's NCCL {release.nccl} lacks what later ones call"
        found.append(_validation(" || ".join([own, *dated]), brings, release))
    return found


def _validation(refused: str, allowed: str, release: FabricRelease) -> dict[str, str]:
    return {
        "expression": f"!({refused})",
        "message": f"spec.trainer.image can't load the fabric's plugin {release.plugin_version}, as its tag says; "
        f"allowed: {allowed}; choose another, such as {release.pytorch}, or leave it out",
    }


def _dated(wrong: Callable[[DatedTag], bool]) -> list[str]:
    """For each span of an image's dated tags that are wrong whether a tag is of it."""
    rows = dated_tags()
    spans: list[str] = []
    for row, following in pairwise([*rows, None]):
        if row is not None and wrong(row):
            dated = f"variables.image.matches('(?:^|/){row.image}:[0-9]{{2}}[.][0-9]{{2}}')"
            until = [f"variables.tag < '{following.tag_from}'"] if following and following.image == row.image else []
            spans.append("(" + " && ".join([dated, f"variables.tag >= '{row.tag_from}'", *until]) + ")")
    return spans
