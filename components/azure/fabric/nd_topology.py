"""Topology of GPUs, InfiniBand cards and CPUs of an ND v5 machine, as an NCCL topology file.

The machine's own PCI tree is flat, so NCCL would pair GPUs with any card. The text is Microsoft's own, byte for byte:
Azure/azhpc-images 8e9d055f, topology/ndv5-topo.xml. Name and checksum are the release's
(`gpucluster/core/catalog/fabric_releases.csv`). Imports no Pulumi.
"""

from __future__ import annotations

from typing import Final

NAME: Final = "nccl-topology"
"""Name of the ConfigMap and of the volume."""
FOLDER: Final = "/etc/nccl-topology"

# PCI domain of each GPU, in the order of the cards 0101 to 0108; four pairs on each side of the machine.
_GPUS: Final = ("0001", "0002", "0003", "0008", "0009", "000a", "000b", "000c")
# CPUs of each side: 0 to 47, then 48 to 95; before azhpc-images 992d7759 the file had them the other way round. With
# NCCL_IGNORE_CPU_AFFINITY, NCCL's threads run only on these. Source: NVIDIA/nccl 5067397c, src/graph/topo.cc.
_CPUS: Final = ("00000000,0000ffff,ffffffff", "ffffffff,ffff0000,00000000")
_LINK: Final = 'link_speed="32.0 GT/s PCIe" link_width="16"'
_NOBODY: Final = 'vendor="0x0000" device="0x0000" subsystem_vendor="0x0000" subsystem_device="0x0000"'


def nd_v5_topology() -> str:
    """NCCL's description of a machine: a bridge for each pair of a GPU (class 0302) and a card (class 0207)."""
    sides: list[str] = []
    each = len(_GPUS) // len(_CPUS)
    for side, cpus in enumerate(_CPUS):
        pairs = "".join(_pair(index) for index in range(side * each, (side + 1) * each))
        sides.append(
            f'  <cpu numaid="{side}" affinity="{cpus}" arch="x86_64" vendor="GenuineIntel" familyid="6" '
            f'modelid="143">\n{pairs}  </cpu>\n'
        )
    return f'<system version="1">\n{"".join(sides)}</system>\n'


def _pair(index: int) -> str:
    gpu, card = f"{_GPUS[index]}:00:00.0", f"{0x0101 + index:04x}:00:00.0"
    return (
        f'    <pci busid="ffff:ff:{index + 1:02x}.0" class="0x060400" {_LINK} {_NOBODY}>\n'
        f'      <pci busid="{gpu}" class="0x030200" {_LINK}/>\n'
        f'      <pci busid="{card}" class="0x020700" {_LINK}/>\n'
        "    </pci>\n"
    )
