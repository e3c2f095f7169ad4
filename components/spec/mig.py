"""Nodes whose GPUs are sliced."""

from typing import Literal

from pydantic import Field

from gpucluster.components.spec.model import Model
from gpucluster.components.spec.values import ROLL, Whole

# What it means on a GPU is in `components/mig_layout.py`.
_LAYOUT = (
    r"^(all-(balanced|[1-7]g\.[1-9]\d*gb)|([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?(\+([1-9]\d?x)?[1-7]g(\.[1-9]\d*gb)?)*)$"
)


class Mig(Model):
    """Nodes with sliced GPUs; not for multi-node training."""

    nodes: Whole = Field(
        ge=1,
        le=512,
        description="Nodes of 8 GPUs; if a cloud has smaller machines, as many as have the same number of GPUs",
    )
    layout: str = Field(
        pattern=_LAYOUT,
        description="Slices of every GPU: all-1g.10gb, 3x2g.20gb+1x1g.10gb and the like, or all-balanced",
        examples=["all-1g.10gb", "3x2g.20gb+1x1g.10gb", "4g.40gb+3g.40gb", "all-balanced"],
    )
    strategy: Literal["single", "mixed"] | None = Field(
        default=None,
        description="How pods request slices: as nvidia.com/gpu, if all are alike (single), or by size, as "
        "nvidia.com/mig-1g.10gb (mixed); default: single if possible",
    )
    purchase: Literal["on-demand", "spot", "flex-start"] = Field(
        default="on-demand", description="Purchase option of its machines"
    )
    roll: bool = Field(default=False, description=ROLL)
