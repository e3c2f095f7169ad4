"""The pools of machines of every cloud: its `pools` module."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, cast

from gpucluster.catalog.clouds import modules_of
from gpucluster.policies.machines import Machines
from gpucluster.program.resources import Resources


class CloudPools(Protocol):
    """The module `pools` of a cloud.

    READS: the resource types that start nodes, and their templates. machines_of: everything that starts
    machines. training_pools: each training pool of a stack, as its machines.
    names_gpus: whether a word is a GPU machine type, or a GPU name, of this cloud.
    """

    @property
    def READS(self) -> str: ...
    @property
    def names_gpus(self) -> Callable[[str], bool]: ...
    @property
    def machines_of(self) -> Callable[[Resources], Sequence[Machines]]: ...
    @property
    def training_pools(self) -> Callable[[Resources], Sequence[tuple[Machines, ...]]]: ...


@functools.cache
def cloud_pools() -> Mapping[str, CloudPools]:
    """Those of every cloud that has any, by its name."""
    found = modules_of("gpucluster.policies.clouds.{cloud}.pools")
    return {cloud.name: cast(CloudPools, module) for cloud, module in found}
