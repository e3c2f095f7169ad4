"""The custom kinds that AKS installs in its clusters, the refusals of their definitions, and kinds of NVIDIA's
operators.

Sources: Azure/karpenter-provider-azure v1.14.2, pkg/apis/crds (AKSNodeClass, and the domains of labels of a NodePool);
AKS documentation, "Node auto-provisioning"; Mellanox/network-operator v26.4.0, config/crd/bases;
Azure/prometheus-collector 39583fd, azure-monitor-metrics-addon/templates (the two kinds of the metrics add-on). The
properties and listed values of AKSNodeClass and NodePool: object_types.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.objects import name_of, unsupported
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain

_PROVISIONING: Final = frozenset(
    {"karpenter.azure.com:AKSNodeClass", "karpenter.sh:NodeClaim", "karpenter.sh:NodePool"}
)
_METRICS: Final = frozenset({"azmonitoring.coreos.com:PodMonitor", "azmonitoring.coreos.com:ServiceMonitor"})
KINDS: Final = _PROVISIONING | _METRICS
"""Kinds of a cluster with node auto provisioning and managed Prometheus; no chart installs them."""

_CLUSTER: Final = "azure-native:containerservice:ManagedCluster"

# Labels of machines: AKS's own domains with their allowed exceptions, and single keys.
_AZURE: Final[Mapping[str, frozenset[str]]] = {
    "karpenter.azure.com": frozenset(
        f"karpenter.azure.com/{word}"
        for word in (
            "aksnodeclass",
            "placement-scope",
            "sku-cpu",
            "sku-family",
            "sku-gpu-count",
            "sku-gpu-manufacturer",
            "sku-gpu-name",
            "sku-memory",
            "sku-name",
            "sku-networking-accelerated",
            "sku-series",
            "sku-storage-ephemeralos-maxsize",
            "sku-storage-premium-capable",
            "sku-storage-ultra-ssd",
            "sku-version",
        )
    ),
    "kubernetes.azure.com": frozenset(
        f"kubernetes.azure.com/{word}"
        for word in (
            "cluster",
            "ebpf-dataplane",
            "ebpf-host-routing",
            "fips_enabled",
            "hostedvm",
            "mode",
            "network-policy",
            "os-sku",
            "priority",
            "scalesetpriority",
            "sku-cpu",
            "sku-memory",
        )
    ),
}
_KEYS: Final = ("accelerator", "agentpool", "storageprofile", "storagetier")

_SUBNET: Final = re.compile(
    r"/subscriptions/[^/]+/resourceGroups/[a-zA-Z0-9_\-().]{0,89}[a-zA-Z0-9_\-()]"
    r"/providers/Microsoft\.Network/virtualNetworks/[^/]+/subnets/[^/]+",
    re.IGNORECASE,
)


def kinds_of(cluster: Entry | None) -> frozenset[str]:
    """The kinds that a cluster has without a chart; none if it is not AKS's."""
    if cluster is None or cluster.type != _CLUSTER:
        return frozenset()
    mode = mapping(cluster.inputs.get("nodeProvisioningProfile")).get("mode")
    metrics = mapping(mapping(cluster.inputs.get("azureMonitorProfile")).get("metrics"))
    return (_PROVISIONING if mode == "Auto" else frozenset[str]()) | (
        _METRICS if metrics.get("enabled") is True else frozenset[str]()
    )


def check_object(resource: Resource, cluster: Entry | None) -> None:
    """Raises CloudError with all errors of the API server for an object of these kinds."""
    checks = _CHECKS.get(resource.token)
    if checks is None or (checks is _node_pool and (cluster is None or cluster.type != _CLUSTER)):
        return
    group, kind = resource.token.removeprefix("kubernetes:").split("/")[0], resource.token.rsplit(":", 1)[-1]
    found = [*checks(mapping(plain(resource.inputs.get("spec"))))]
    if found:
        raise CloudError(f'{kind}.{group} "{name_of(resource.inputs)}" is invalid: {"; ".join(found)}')


def _node_pool(spec: Mapping[str, Any]) -> Iterator[str]:
    template = mapping(spec.get("template"))
    for key in sorted(mapping(mapping(template.get("metadata")).get("labels"))):
        if (what := _restricted(str(key))) is not None:
            yield f'spec.template.metadata.labels: Invalid value: "object": label {what} is restricted'
    for index, item in enumerate(map(mapping, items(mapping(template.get("spec")).get("requirements")))):
        if (what := _restricted(str(item.get("key")))) is not None:
            yield (f'spec.template.spec.requirements[{index}].key: Invalid value: "string": label {what} is restricted')


def _restricted(key: str) -> str | None:
    if key in _KEYS:
        return f'"{key}"'
    domain = key.split("/")[0]
    return next(
        (f'domain "{own}"' for own, allowed in _AZURE.items() if domain.endswith(own) and key not in allowed), None
    )


def _node_class(spec: Mapping[str, Any]) -> Iterator[str]:
    subnet, family = spec.get("vnetSubnetID"), spec.get("imageFamily")
    if isinstance(subnet, str) and not _SUBNET.fullmatch(subnet):
        yield f'spec.vnetSubnetID: Invalid value: "{subnet}": spec.vnetSubnetID in body should match the id of a subnet'
    for field, least, most in (("osDiskSizeGB", 30, 2048), ("maxPods", 10, 250)):
        value = spec.get(field)
        if isinstance(value, int | float) and not least <= value <= most:
            bound = f"greater than or equal to {least}" if value < least else f"less than or equal to {most}"
            yield f"spec.{field}: Invalid value: {value:g}: spec.{field} in body should be {bound}"
    if spec.get("fipsMode") == "FIPS" and family in (None, "Ubuntu2204", "Ubuntu2404"):
        yield 'spec: Invalid value: "object": FIPS is not yet supported for Ubuntu2204 or Ubuntu2404'


def _nic_policy(spec: Mapping[str, Any]) -> Iterator[str]:
    for part in ("ofedDriver", "sriovDevicePlugin", "rdmaSharedDevicePlugin"):
        if part in spec and not mapping(spec.get(part)).get("image"):
            yield f"spec.{part}.image: Required value"
    upgrade = mapping(mapping(spec.get("ofedDriver")).get("upgradePolicy"))
    if isinstance(most := upgrade.get("maxParallelUpgrades"), int | float) and most < 0:
        at = "spec.ofedDriver.upgradePolicy.maxParallelUpgrades"
        yield f"{at}: Invalid value: {most:g}: {at} in body should be greater than or equal to 0"


def _pod_monitor(spec: Mapping[str, Any]) -> Iterator[str]:
    yield from _monitor(spec, "podMetricsEndpoints", needed=("selector",))


def _service_monitor(spec: Mapping[str, Any]) -> Iterator[str]:
    yield from _monitor(spec, "endpoints", needed=("endpoints", "selector"))


def _monitor(spec: Mapping[str, Any], field: str, *, needed: tuple[str, ...]) -> Iterator[str]:
    yield from (f"spec.{name}: Required value" for name in needed if spec.get(name) is None)
    for index, endpoint in enumerate(map(mapping, items(spec.get(field)))):
        at = f"spec.{field}[{index}]"
        if (scheme := endpoint.get("scheme")) not in (None, *_SCHEMES):
            yield unsupported(f"{at}.scheme", scheme, _SCHEMES)
        for place, relabeling in enumerate(map(mapping, items(endpoint.get("relabelings")))):
            action = relabeling.get("action", "replace")
            if action not in _RELABELINGS:
                yield unsupported(f"{at}.relabelings[{place}].action", action, _RELABELINGS)


_SCHEMES: Final = ("http", "https")
_RELABELINGS: Final = (
    *("replace", "Replace", "keep", "Keep", "drop", "Drop", "hashmod", "HashMod", "labelmap", "LabelMap"),
    *("labeldrop", "LabelDrop", "labelkeep", "LabelKeep", "lowercase", "Lowercase", "uppercase", "Uppercase"),
    *("keepequal", "KeepEqual", "dropequal", "DropEqual"),
)

_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]]] = {
    "kubernetes:azmonitoring.coreos.com/v1:PodMonitor": _pod_monitor,
    "kubernetes:azmonitoring.coreos.com/v1:ServiceMonitor": _service_monitor,
    "kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass": _node_class,
    "kubernetes:karpenter.sh/v1:NodePool": _node_pool,
    "kubernetes:mellanox.com/v1alpha1:NicClusterPolicy": _nic_policy,
}
