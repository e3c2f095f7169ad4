"""Software versions that the tag of a job's image states.

`image_tags.csv` has images whose tags are dates: from tag_from on they have this CUDA and this PyTorch, until the next
row of the image. Other tags state versions, such as 2.7.1-cuda12.8-cudnn9-runtime and cu130.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from gpucluster.catalog.rows import rows

CUDA: Final = "cu(?:da)?-?(1[0-9])"
"""Regular expression of a CUDA major in a tag."""


@dataclass(frozen=True, kw_only=True)
class DatedTag:
    """One row. image: its path in every registry and mirror."""

    image: str
    tag_from: str
    cuda: int
    torch: str


def dated_tags() -> tuple[DatedTag, ...]:
    """Every row, oldest of an image first."""
    return tuple(
        DatedTag(image=row["image"], tag_from=row["tag_from"], cuda=int(row["cuda"]), torch=row["torch"])
        for row in rows("image_tags")
    )


def torch_from(version: str) -> str:
    """Regular expression for the names of PyTorch's own images from a version on, such as 2.7, of one digit each."""
    major, minor = map(int, version.split("."))
    return f"(?:^|/)pytorch/pytorch:(?:{major}[.](?:[{minor}-9]|[1-9][0-9])|[{major + 1}-9][.])"
