"""The pools of machines of every cloud: its `pools` module."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Protocol, cast

from gpucluster.catalog.clouds import modules_of
from gpucluster.policies.machines import Labelled, Machines
from gpucluster.program.resources import Resources

__all__ = ["CloudPools", "cloud_pools"]


class CloudPools(Protocol):
    """The module `pools` of a cloud.

    READS: the resource types that start nodes with labels. training_pools: each training pool of a stack, as the
    machines it is made of. sliced_pools: what starts nodes whose GPUs are MIG slices. labelled: whatever starts nodes.
    """

    @property
    def READS(self) -> str: ...
    @property
    def training_pools(self) -> Callable[[Resources], Iterator[tuple[Machines, ...]]]: ...
    @property
    def sliced_pools(self) -> Callable[[Resources], Iterator[Machines]]: ...
    @property
    def labelled(self) -> Callable[[Resources], Iterator[Labelled]]: ...


@functools.cache
def cloud_pools() -> tuple[CloudPools, ...]:
    """Those of every cloud that has any."""
    return tuple(cast(CloudPools, module) for _, module in modules_of("gpucluster.policies.clouds.{cloud}.pools"))
