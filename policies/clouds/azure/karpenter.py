"""Which VM sizes with InfiniBand a Karpenter node pool may start on Azure.

Source: Azure/karpenter-provider-azure, `pkg/providers/instancetype/instancetype.go` (computeRequirements), for the
labels of a size; a requirement on any other label is ignored here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.azure_regions import infiniband_sizes, size_of
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources, Unknown
from gpucluster.core.program.values import at, items, text
from gpucluster.policies.clouds.kubernetes.pool_labels import SINGLE_NODE, single_node_label
from gpucluster.policies.clouds.label_sets import labels_at
from gpucluster.policies.engine.rule import CannotTell, Finding, Violation

_POOL: Final = "kubernetes:karpenter.sh/v1:NodePool"
_GROUP: Final = "karpenter.azure.com"
_NAMES: Final = ("karpenter.azure.com/sku-name", "node.kubernetes.io/instance-type", "beta.kubernetes.io/instance-type")
_FAMILY: Final = "karpenter.azure.com/sku-family"
_GPU_LABELS: Final = "karpenter.azure.com/sku-gpu-"
_GPU: Final = "nvidia.com/gpu"

# The same for every size with InfiniBand in the table.
_GPUS: Final = 8


@dataclass(frozen=True)
class _KarpenterPool:
    """A Karpenter node pool on Azure for GPUs."""

    resource: Resource

    @property
    def labels(self) -> Any:
        """Labels of its nodes; UNKNOWN before they are known."""
        return labels_at(at(self.resource.inputs, "spec", "template", "metadata", "labels"))

    @property
    def limits(self) -> Any:
        """Resource -> maximum it starts; UNKNOWN before it is known."""
        return labels_at(at(self.resource.inputs, "spec", "limits"))

    def on_infiniband(self) -> list[str] | Unknown:
        """The sizes with InfiniBand that it admits; UNKNOWN if that depends on unknown values."""
        requirements = _requirements(self.resource)
        if requirements is UNKNOWN:
            return UNKNOWN
        answers = {name: _admits(name, requirements) for name in _candidates(requirements)}
        admitted = [name for name, answer in answers.items() if answer]
        return UNKNOWN if not admitted and None in answers.values() else admitted


def _karpenter_pools(resources: Resources) -> Iterator[_KarpenterPool]:
    """The pools of the stack that request GPUs, or may, by a requirement, a limit or a taint."""
    for resource in resources.of_type(_POOL):
        group = text(resource.inputs, "spec", "template", "spec", "nodeClassRef", "group")
        if group == _GROUP and _for_gpus(resource):
            yield _KarpenterPool(resource)


def karpenter_findings(resources: Resources) -> Iterator[Finding]:
    """Pools for multi-node jobs: Karpenter starts single machines on Azure, never on the InfiniBand of a scale set."""
    for pool in _karpenter_pools(resources):
        yield from _findings(pool, resources)


def _findings(pool: _KarpenterPool, resources: Resources) -> Iterator[Finding]:
    labels, limits, admitted = pool.labels, pool.limits, pool.on_infiniband()
    fabric = [] if limits is UNKNOWN else [name for name in limits if name.startswith("rdma/")]
    if fabric:
        yield Violation(
            pool.resource,
            f"a limit on {', '.join(fabric)}, which no Karpenter machine on Azure has",
            fix="Remove it; InfiniBand needs an AgentPool.",
        )
    if admitted == [] or (labels is not UNKNOWN and single_node_label(labels, resources)):
        return
    if admitted is UNKNOWN or labels is UNKNOWN:
        yield CannotTell(pool.resource, "whether it allows sizes with InfiniBand for multi-node jobs is not known yet")
    else:
        yield Violation(
            pool.resource,
            f"it allows {', '.join(admitted)}: Karpenter starts single machines outside of scale sets, which share no "
            "InfiniBand",
            fix="Set karpenter.azure.com/sku-name to sizes without r, and use an AgentPool for multi-node jobs; or "
            f'give its nodes the label {SINGLE_NODE}: "true".',
        )


def _requirements(resource: Resource) -> list[Any] | Unknown:
    return items(resource.inputs, "spec", "template", "spec", "requirements")


def _for_gpus(resource: Resource) -> bool:
    limits = labels_at(at(resource.inputs, "spec", "limits"))
    taints = items(resource.inputs, "spec", "template", "spec", "taints")
    requirements = _requirements(resource)
    if requirements is UNKNOWN or (limits is not UNKNOWN and _GPU in limits):
        return True
    if taints is not UNKNOWN and any(text(taint, "key") == _GPU for taint in taints):
        return True
    return any(_asks_for_gpus(requirement) for requirement in requirements)


def _asks_for_gpus(requirement: Any) -> bool:
    key, operator, values = _parts(requirement)
    if not isinstance(key, str) or operator in ("NotIn", "DoesNotExist") or values is UNKNOWN:
        return False
    if key.startswith(_GPU_LABELS):
        return (operator, values) not in (("In", ["0"]), ("Lt", ["1"]))
    if key == _FAMILY:
        return "n" in values
    return key in _NAMES and any(isinstance(name, str) and size_of(name) is not None for name in values)


def _candidates(requirements: list[Any]) -> Iterator[str]:
    """The sizes of the table, and others with InfiniBand that a requirement names."""
    known = {name.lower() for name in infiniband_sizes()}
    yield from infiniband_sizes()
    for requirement in requirements:
        named = items(requirement, "values")
        if text(requirement, "key") in _NAMES and named is not UNKNOWN:
            for name in named:
                size = size_of(name) if isinstance(name, str) else None
                if size is not None and size.infiniband and name.lower() not in known:
                    yield name


def _admits(name: str, requirements: list[Any]) -> bool | None:
    """Whether a size meets every requirement; None if unknown before the update."""
    labels = _labels(name)
    answers = [_met(labels, requirement) for requirement in requirements]
    return False if False in answers else None if None in answers else True


def _labels(name: str) -> dict[str, str | None]:
    """Labels of a size as Karpenter compares them, in lower case here; None for a missing one."""
    size = size_of(name)
    assert size is not None
    gpu = size.gpu.lower() if size.gpu else None
    own = {_FAMILY: "n", "karpenter.azure.com/sku-version": str(size.version)}
    gpus = {"name": gpu, "count": str(_GPUS), "manufacturer": "nvidia"}
    return {
        **dict.fromkeys(_NAMES, name.lower()),
        **own,
        "karpenter.azure.com/sku-cpu": str(size.vcpus),
        **{f"{_GPU_LABELS}{key}": value for key, value in gpus.items()},
    }


def _met(labels: dict[str, str | None], requirement: Any) -> bool | None:
    key, operator, values = _parts(requirement)
    if key is UNKNOWN or operator is UNKNOWN or (key in labels and values is UNKNOWN):
        return None
    if key not in labels or not isinstance(operator, str) or values is UNKNOWN:
        return True
    own = labels[key]
    if own in values and operator in ("In", "NotIn"):
        return operator == "In"
    if UNKNOWN in values:
        return None
    compare = _OPERATORS.get(operator)
    return True if compare is None else compare(own, values)


def _parts(requirement: Any) -> tuple[Any, Any, list[Any] | Unknown]:
    values = items(requirement, "values")
    lower = values if values is UNKNOWN else [item.lower() if isinstance(item, str) else item for item in values]
    return text(requirement, "key"), text(requirement, "operator"), lower


def _number(value: Any) -> int:
    return int(value) if str(value).isdigit() else 0


_OPERATORS: Final[dict[str, Callable[[str | None, list[Any]], bool]]] = {
    "In": lambda own, values: own in values,
    "NotIn": lambda own, values: own not in values,
    "Exists": lambda own, _: own is not None,
    "DoesNotExist": lambda own, _: own is None,
    "Gt": lambda own, values: _number(own) > _number(values[0]) if values else True,
    "Lt": lambda own, values: _number(own) < _number(values[0]) if values else True,
}
