"""Every fabric of Google Cloud."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from gpucluster.components.gcp.fabric.fabric import Fabric, fabric_of
from gpucluster.components.shared.machine_choice import shapes

FABRICS: Final[Mapping[str, Fabric]] = {
    shape.machine_type: fabric for shape in shapes() if (fabric := fabric_of(shape)) is not None
}
"""Machine type -> its fabric in the default release."""
