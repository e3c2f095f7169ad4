"""The custom kinds and namespaces that GKE creates in its clusters, and what their definitions and GKE refuse.

Sources: GKE documentation, "Set up multi-network support for Pods" (the kinds of multi-networking, and 41 characters
for the name of a device network) and "ComputeClass" custom resource definition, with the markers of its Go types;
GoogleCloudPlatform/prometheus-engine v0.17.2, charts/operator/crds, manifests/operator.yaml (namespaces);
ray-project/ray issue 57839 (what GKE refuses of ProvisioningRequests, with its text).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.cloud import CloudError, Resource
from gpucluster.sandbox.clouds.kubernetes.objects import name_of, unsupported
from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.clouds.types.values import plain

_ALWAYS: Final = frozenset({"autoscaling.x-k8s.io:ProvisioningRequest", "cloud.google.com:ComputeClass"})
_MULTI_NETWORKING: Final = frozenset({"networking.gke.io:GKENetworkParamSet", "networking.gke.io:Network"})
_PROMETHEUS: Final = frozenset(
    f"monitoring.googleapis.com:{kind}"
    for kind in (
        "ClusterNodeMonitoring",
        "ClusterPodMonitoring",
        "ClusterRules",
        "GlobalRules",
        "OperatorConfig",
        "PodMonitoring",
        "Rules",
    )
)
_PROMETHEUS_NAMESPACES: Final = frozenset({"gmp-public", "gmp-system"})
KINDS: Final = _ALWAYS | _MULTI_NETWORKING | _PROMETHEUS
"""All kinds that GKE may install; no chart installs them."""

_LONGEST_NAME: Final = 41
_QUEUED: Final = "queued-provisioning.gke.io"
_SINGLE: Final = "the queued provisioning feature currently supports only single PodSet per request"
_WARDEN: Final = "provisioning-request-cr-validation"
_UNSATISFIABLE: Final = ("DoNotScaleUp", "ScaleUpAnyway")


def kinds_of(cluster: Entry | None) -> frozenset[str]:
    """The kinds that a cluster has without a chart; none if it is not GKE's."""
    if cluster is None or cluster.type != "gcp:container/cluster:Cluster":
        return frozenset()
    networks = _MULTI_NETWORKING if cluster.inputs.get("enableMultiNetworking") is True else frozenset[str]()
    return _ALWAYS | networks | (_PROMETHEUS if _has_prometheus(cluster) else frozenset[str]())


def namespaces_of(cluster: Entry | None) -> frozenset[str]:
    """The namespaces of a cluster in addition to Kubernetes' own; none if it is not GKE's."""
    if cluster is None or cluster.type != "gcp:container/cluster:Cluster" or not _has_prometheus(cluster):
        return frozenset()
    return _PROMETHEUS_NAMESPACES


def _has_prometheus(cluster: Entry) -> bool:
    managed = mapping(mapping(cluster.inputs.get("monitoringConfig")).get("managedPrometheus"))
    return managed.get("enabled") is True


def warden_of(cluster: Entry | None) -> list[dict[str, Any]]:
    """GKE's own admission of ProvisioningRequests, as a policy with its binding; none if the cluster is not GKE's."""
    if cluster is None or cluster.type != "gcp:container/cluster:Cluster":
        return []
    rule = {"apiGroups": ["autoscaling.x-k8s.io"], "apiVersions": ["*"], "resources": ["provisioningrequests"]}
    single = f"object.spec.provisioningClassName != '{_QUEUED}' || size(object.spec.podSets) <= 1"
    constraint = {"resourceRules": [{**rule, "operations": ["CREATE"]}]}
    policy = {"matchConstraints": constraint, "validations": [{"expression": single, "message": _SINGLE}]}
    return [
        {"apiVersion": "admissionregistration.k8s.io/v1", "kind": kind, "metadata": {"name": _WARDEN}, "spec": spec}
        for kind, spec in (
            ("ValidatingAdmissionPolicy", policy),
            ("ValidatingAdmissionPolicyBinding", {"policyName": _WARDEN, "validationActions": ["Deny"]}),
        )
    ]


def check_object(resource: Resource) -> None:
    """Raises CloudError with all errors of the API server, or of GKE's admission, for an object of these kinds."""
    if resource.token.endswith(":ProvisioningRequest"):
        _one_pod_set(mapping(plain(resource.inputs.get("spec"))))
    checks = _CHECKS.get(resource.token)
    if checks is None:
        return
    group, kind = resource.token.removeprefix("kubernetes:").split("/")[0], resource.token.rsplit(":", 1)[-1]
    name = name_of(resource.inputs)
    found = [*checks(name, mapping(plain(resource.inputs.get("spec"))))]
    if found:
        raise CloudError(f'{kind}.{group} "{name}" is invalid: {"; ".join(found)}')


def _one_pod_set(spec: Mapping[str, Any]) -> None:
    if spec.get("provisioningClassName") == _QUEUED and len(items(spec.get("podSets"))) > 1:
        raise CloudError(
            'admission webhook "warden-validating.common-webhooks.networking.gke.io" denied the request: GKE Warden '
            "rejected the request because it violates one or more constraints. "
            f'Violations details: {{"[denied by {_WARDEN}]":["{_SINGLE}"]}}'
        )


def _network(name: str, spec: Mapping[str, Any]) -> Iterator[str]:
    if spec.get("type") == "Device":
        yield from _short(name)
        if not mapping(spec.get("parametersRef")).get("name"):
            yield "spec.parametersRef: Required value"


def _parameters(name: str, spec: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"spec.{field}: Required value" for field in ("vpc", "vpcSubnet") if not spec.get(field))
    if spec.get("deviceMode") is not None:
        yield from _short(name)


def _short(name: str) -> Iterator[str]:
    if len(name) > _LONGEST_NAME:
        yield f"metadata.name: Too long: must have at most {_LONGEST_NAME} characters"


def _compute_class(name: str, spec: Mapping[str, Any]) -> Iterator[str]:
    if name.startswith(("gke", "autopilot")):
        yield f'metadata.name: Invalid value: "{name}": may not begin with gke or autopilot'
    when = spec.get("whenUnsatisfiable")
    if when is not None and when not in _UNSATISFIABLE:
        yield unsupported("spec.whenUnsatisfiable", when, _UNSATISFIABLE)
    for index, rule in enumerate(map(mapping, items(spec.get("priorities")))):
        yield from (f"spec.priorities[{index}]: Invalid value: {problem}" for problem in _priority(rule))


def _priority(rule: Mapping[str, Any]) -> Iterator[str]:
    if not rule:
        yield "should have at least 1 properties"
    if "nodepools" in rule and len(rule) > 1:
        yield "Nodepool field cannot be set along with other fields"
    if "machineFamily" in rule and "machineType" in rule:
        yield "MachineFamily and MachineType cannot be set together"
    if rule.get("spot") is True and mapping(rule.get("flexStart")).get("enabled") is True:
        yield "Flex Start provisioning model is incompatible with Spot"


def _monitoring(_: str, spec: Mapping[str, Any]) -> Iterator[str]:
    for index, endpoint in enumerate(map(mapping, items(spec.get("endpoints")))):
        authorization = mapping(endpoint.get("authorization"))
        if authorization.get("type") == "Basic":
            at = f'spec.endpoints[{index}].authorization.type: Invalid value: "string"'
            yield f'{at}: authorization type cannot be set to "basic", use "basic_auth" instead'
        if "namespace" in mapping(mapping(authorization.get("credentials")).get("secret")):
            yield "Forbidden: Namespace not allowed on PodMonitoring secret references."


def _rules(_: str, spec: Mapping[str, Any]) -> Iterator[str]:
    for place, group in enumerate(map(mapping, items(spec.get("groups")))):
        for index, rule in enumerate(map(mapping, items(group.get("rules")))):
            at = f"spec.groups[{place}].rules[{index}]"
            if ("record" in rule) == ("alert" in rule):
                yield f'{at}: Invalid value: "object": Must set exactly one of Record or Alert'
            elif "annotations" in rule and "record" in rule:
                yield f'{at}: Invalid value: "object": Annotations are only allowed for alerting rules'


_CHECKS: Final[Mapping[str, Callable[[str, Mapping[str, Any]], Iterator[str]]]] = {
    "kubernetes:cloud.google.com/v1:ComputeClass": _compute_class,
    "kubernetes:monitoring.googleapis.com/v1:ClusterRules": _rules,
    "kubernetes:monitoring.googleapis.com/v1:PodMonitoring": _monitoring,
    "kubernetes:networking.gke.io/v1:GKENetworkParamSet": _parameters,
    "kubernetes:networking.gke.io/v1:Network": _network,
}
