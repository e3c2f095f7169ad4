"""What a machine of a queue has, and what the queue has together, as the rules for jobs and pods ask it.

Imports no Pulumi.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from gpucluster.components.kubernetes.cel import starts, text
from gpucluster.components.kubernetes.job_pool import JobPool

_DEVICES: Final = ("nvidia.com/", "vpc.amazonaws.com/efa", "rdma/")
"""What the names of GPUs, their slices and the fabric's interfaces start with, where pods ask for them."""

AMOUNT: Final = "quantity(string({})).asInteger()"
"""A whole amount in CEL, however it is written."""


def is_device(name: str) -> str:
    """Whether a resource is one of these, in CEL."""
    return f"({starts(name, _DEVICES)})"


def limit_variables(pools: Sequence[JobPool]) -> list[dict[str, str]]:
    """machine: queue -> device -> how many a machine has. most: the same of the whole queue."""
    return [
        {"name": "machine", "expression": device_map({pool.name: _of_a_machine(pool) for pool in pools})},
        {"name": "most", "expression": device_map({pool.name: _of_a_queue(pool) for pool in pools})},
    ]


def limits_told(pools: Sequence[JobPool]) -> str:
    """The same for people."""
    told: list[str] = []
    for pool in pools:
        machine = " and ".join(f"{amount} {device}" for device, amount in _of_a_machine(pool).items())
        told.append(f"{pool.name} {max(1, pool.nodes)} with {machine} each")
    return "; ".join(told)


def device_map(of: Mapping[str, Mapping[str, int]]) -> str:
    """Name -> device -> amount, in CEL."""
    inner = {
        name: ", ".join(f"{text(device)}: {amount}" for device, amount in found.items()) for name, found in of.items()
    }
    return "{" + ", ".join(f"{text(name)}: {{{found}}}" for name, found in inner.items()) + "}"


def _of_a_machine(pool: JobPool) -> dict[str, int]:
    return {device: amount // max(1, pool.nodes) for device, amount in _of_a_queue(pool).items()}


def _of_a_queue(pool: JobPool) -> dict[str, int]:
    return {name: int(amount) for name, amount in pool.quotas.items() if name.startswith(_DEVICES)}
