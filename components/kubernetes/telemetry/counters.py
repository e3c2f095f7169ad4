"""Fields that DCGM's exporter collects: the file replaces its defaults, so the list is complete.

Source: NVIDIA/dcgm-exporter, etc/default-counters.csv and etc/dcp-metrics-included.csv.
"""

from __future__ import annotations

from typing import Final, Literal

from gpucluster.record import record


@record
class Counter:
    """A field of DCGM as a metric. help: its meaning and unit."""

    field: str
    kind: Literal["gauge", "counter"]
    help: str


COUNTERS: Final = (
    Counter("DCGM_FI_DEV_GPU_UTIL", "gauge", "GPU utilization (in %)."),
    Counter("DCGM_FI_DEV_FB_USED", "gauge", "Framebuffer memory used (in MiB)."),
    Counter("DCGM_FI_DEV_FB_FREE", "gauge", "Framebuffer memory free (in MiB)."),
    Counter("DCGM_FI_PROF_SM_ACTIVE", "gauge", "Ratio of cycles an SM has at least 1 warp assigned."),
    Counter("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "gauge", "Ratio of cycles the tensor pipe is active."),
    Counter("DCGM_FI_PROF_NVLINK_TX_BYTES", "counter", "Bytes sent over NVLink."),
    Counter("DCGM_FI_PROF_NVLINK_RX_BYTES", "counter", "Bytes received over NVLink."),
    Counter("DCGM_FI_PROF_PCIE_TX_BYTES", "gauge", "Rate of data sent over PCIe, headers among it (in B/s)."),
    Counter("DCGM_FI_PROF_PCIE_RX_BYTES", "gauge", "Rate of data received over PCIe, headers among it (in B/s)."),
    Counter("DCGM_FI_DEV_GPU_TEMP", "gauge", "GPU temperature (in C)."),
    Counter("DCGM_FI_DEV_POWER_USAGE", "gauge", "Power draw (in W)."),
    Counter("DCGM_FI_DEV_XID_ERRORS", "gauge", "Value of the last XID error encountered."),
    Counter("DCGM_FI_DEV_ROW_REMAP_FAILURE", "gauge", "Whether remapping of rows has failed."),
    Counter("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "counter", "Remapped rows for uncorrectable errors."),
)


def counters_csv() -> str:
    """The exporter's file: field, type of metric, help."""
    return "".join(f"{counter.field}, {counter.kind}, {counter.help}\n" for counter in COUNTERS)
