"""Notes of a plan about the fabric's release."""

from __future__ import annotations

from gpucluster.catalog.fabric_releases import FabricRelease


def fabric_notes(release: FabricRelease) -> list[str]:
    """Requirements on images that jobs bring."""
    needs = [
        *([f"CUDA {release.cuda}"] if release.cuda else []),
        *([f"PyTorch below {release.torch_below}"] if release.torch_below else []),
    ]
    if not needs:
        return []
    brings = f" with NCCL {release.nccl}" if release.nccl else ""
    driver = f"; GPU driver {release.drivers}" if release.drivers else ""
    return [
        f"images of jobs: {' and '.join(needs)}, for the fabric's plugin {release.plugin_version}{brings}; images with "
        f"another version in their tag are refused; a job without an image uses {release.pytorch}{driver}"
    ]
