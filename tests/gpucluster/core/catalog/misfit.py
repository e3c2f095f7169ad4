"""Why an image cannot load a fabric, by its tag: a second opinion on the rules that the API server evaluates."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from packaging.version import Version

from gpucluster.core.catalog.fabrics import CUDA, FabricRelease, dated_tags

_TORCH: Final = "(?:^|/)pytorch/pytorch:([0-9]+[.][0-9]+)"


class Versions(NamedTuple):
    """None where the tag does not say."""

    cuda: int | None
    torch: str | None


def misfit(release: FabricRelease, image: str) -> str | None:
    """None where the tag does not say so."""
    versions = _versions(image)
    if release.cuda is not None and versions.cuda not in (None, release.cuda):
        return f"it has CUDA {versions.cuda}; allowed: CUDA {release.cuda}"
    if release.torch_below and versions.torch and Version(versions.torch) >= Version(release.torch_below):
        return f"it has PyTorch {versions.torch}; allowed: below {release.torch_below}"
    return None


def _versions(image: str) -> Versions:
    """What the name of an image says. A digest says nothing."""
    named = image.partition("@")[0]
    path, _, tag = named.rpartition(":")
    for row in reversed(dated_tags()):
        if f"/{path}".endswith(f"/{row.image}") and re.match(r"\d\d[.]\d\d", tag) and tag >= row.tag_from:
            return Versions(row.cuda, row.torch)
    cuda, torch = re.search(CUDA, tag), re.search(_TORCH, named)
    return Versions(None if cuda is None else int(cuda[1]), None if torch is None else torch[1])
