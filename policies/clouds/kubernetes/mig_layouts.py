"""MIG layouts that NVIDIA's MIG manager has, by GPU.

Source: NVIDIA/mig-parted, `deployments/systemd/config-default.yaml`; the GPU Operator's own file is made of it.
"""

from __future__ import annotations

from typing import Final

__all__ = ["LAYOUTS"]

_EVERY: Final = ("all-disabled", "all-enabled", "all-balanced")


def _of(*slices: str) -> tuple[str, ...]:
    return (*_EVERY, *(f"all-{name}" for name in slices))


_80_GB: Final = _of("1g.10gb", "1g.10gb.me", "1g.20gb", "2g.20gb", "3g.40gb", "4g.40gb", "7g.80gb")

LAYOUTS: Final[dict[str, tuple[str, ...]]] = {
    "A100 40 GB": _of("1g.5gb", "1g.5gb.me", "1g.10gb", "2g.10gb", "3g.20gb", "4g.20gb", "7g.40gb"),
    "A100 80 GB": _80_GB,
    "H100 80 GB": _80_GB,
    "H100 NVL 94 GB": _of("1g.12gb", "1g.12gb.me", "1g.24gb", "2g.24gb", "3g.47gb", "4g.47gb", "7g.94gb"),
    "H200 141 GB": _of("1g.18gb", "1g.18gb.me", "1g.35gb", "2g.35gb", "3g.71gb", "4g.71gb", "7g.141gb"),
}
"""GPU -> values of the node label nvidia.com/mig.config."""
