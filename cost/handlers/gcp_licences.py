"""Images of Google Cloud whose licence is billed by the hour, beside the machine."""

from __future__ import annotations

from typing import Final

from gpucluster.cost.pricing import CannotPrice, Pricing, read

_BILLED: Final = ("windows-cloud", "windows-sql-cloud", "rhel-cloud", "rhel-sap-cloud", "suse-cloud", "suse-sap-cloud",
                  "ubuntu-os-pro-cloud")  # fmt: skip
"""Projects of premium images (Compute Engine documentation, "Operating system details" and "Premium images")."""


def check_licence(item: Pricing, *path: str | int) -> None:
    """Raises CannotPrice for an image of a project whose images have a licence fee; an unknown image has none."""
    image = read(item.resource.inputs, *path)
    project = next((part for part in str(image).split("/") if part in _BILLED), None)
    if project is not None:
        raise CannotPrice(f"an image of {project}: the price book has machines without a licence fee only")
