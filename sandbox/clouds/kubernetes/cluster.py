# ruff: noqa: SIM905 - long lists of words read better as text
# ruff: noqa: ARG002 - the signatures are those of `Account`
"""Changes that replace a Kubernetes object.

Source: pulumi/pulumi-kubernetes provider/pkg/provider/diff.go (`forceNew`), the same for every listed version of a
group. An unlisted property is updated in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import yaml

from gpucluster.core.catalog.workloads import workloads
from gpucluster.core.text.type_guards import mapping
from gpucluster.sandbox.clouds.cloud import (
    Account,
    Change,
    CloudError,
    CreatedResource,
    Resource,
    UnansweredError,
    property_names,
)
from gpucluster.sandbox.clouds.kubernetes import aks, controllers, gke
from gpucluster.sandbox.clouds.kubernetes.chart_values import unknown_values
from gpucluster.sandbox.clouds.kubernetes.definitions import is_defined, known_chart
from gpucluster.sandbox.clouds.kubernetes.gke import namespaces_of
from gpucluster.sandbox.clouds.kubernetes.object_types import custom_type
from gpucluster.sandbox.clouds.kubernetes.objects import (
    AUTONAMED,
    RELEASE,
    STAND_IN,
    account_of,
    cluster_at,
    live,
    name_of,
    namespace_of,
    object_id,
    with_metadata,
    with_release_name,
)
from gpucluster.sandbox.clouds.store.ledger import Entry, Ledger
from gpucluster.sandbox.clouds.types.schema import ResourceType
from gpucluster.sandbox.clouds.types.validate import Failure, validate
from gpucluster.sandbox.clouds.types.values import UNKNOWN, plain

_SELECTOR: Final = ("spec.selector",)
_JOB: Final = ("spec.completions", "spec.parallelism", "spec.selector", "spec.template")
_STATEFUL_SET: Final = (
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
)
_VOLUME_SOURCES: Final = """
    awsElasticBlockStore azureDisk azureFile cephfs cinder csi fc flexVolume flocker gcePersistentDisk glusterfs
    hostPath iscsi local nfs photonPersistentDisk portworxVolume quobyte rbd scaleIO storageos vsphereVolume
""".split()
_POD: Final = """
    affinity automountServiceAccountToken containers dnsConfig dnsPolicy enableServiceLinks hostAliases hostIPC
    hostNetwork hostPID hostname imagePullSecrets initContainers nodeName nodeSelector overhead preemptionPolicy
    priority priorityClassName readinessGates restartPolicy runtimeClassName schedulerName securityContext
    serviceAccount serviceAccountName shareProcessNamespace subdomain terminationGracePeriodSeconds volumes
""".split()

_PATHS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("apps", "Deployment"): _SELECTOR,
    ("apps", "DaemonSet"): _SELECTOR,
    ("apps", "StatefulSet"): _STATEFUL_SET,
    ("batch", "Job"): _JOB,
    ("core", "ConfigMap"): ("data", "binaryData"),
    ("core", "PersistentVolume"): tuple(f"spec.{source}" for source in _VOLUME_SOURCES),
    ("core", "PersistentVolumeClaim"): ("spec",),
    ("core", "Pod"): tuple(f"spec.{part}" for part in _POD),
    ("core", "ResourceQuota"): ("spec.scopes",),
    ("core", "Secret"): ("type", "stringData", "data"),
    ("core", "Service"): ("spec.clusterIP",),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): ("roleRef",),
    ("rbac.authorization.k8s.io", "RoleBinding"): ("roleRef",),
    ("storage.k8s.io", "StorageClass"): ("parameters", "provisioner"),
}

_ALWAYS: Final = ("metadata.name", "metadata.namespace", "apiVersion", "kind")


def replaces(token: str, change: Change) -> bool:
    """Whether this change of an object of this type replaces it."""
    group = token.split(":")[1].split("/")[0]
    kind = token.rsplit(":", 1)[-1]
    path = property_names(change.path)
    return any(path[: len(listed)] == listed for listed in map(_split, (*_ALWAYS, *_PATHS.get((group, kind), ()))))


def _split(path: str) -> tuple[str, ...]:
    return tuple(path.split("."))


_NAMESPACE: Final = "kubernetes:core/v1:Namespace"
_SERVICE_ACCOUNT: Final = "kubernetes:core/v1:ServiceAccount"
_AKS_ADMIN: Final = "b1ff04bb-8a4e-4dc4-8eb5-8693973ce19b"
"""Azure Kubernetes Service RBAC Cluster Admin (Azure built-in roles documentation)."""
_BUILT_IN: Final = frozenset({"default", "kube-system", "kube-public", "kube-node-lease"})
"""Initial namespaces of every cluster (Kubernetes documentation, "Namespaces")."""


def check_reachable(ledger: Ledger, server: str) -> None:
    """The cluster of the kubeconfig must exist; the message is the real provider's for an unreachable endpoint."""
    if cluster_at(ledger, server) is None:
        raise CloudError(
            "configured Kubernetes cluster is unreachable: unable to load schema information from the API server: "
            f'Get "{server}/openapi/v2?timeout=32s": no such cluster in the sandbox; '
            "was it deleted? `gpucluster sandbox status` lists what exists"
        )


def check_rights(resource: Resource, ledger: Ledger, server: str, ineffective: Sequence[Entry]) -> None:
    """Azure decides who may do what in a cluster of AKS, once it knows the role (Azure/guard authz/providers/azure)."""
    cluster = cluster_at(ledger, server)
    for entry in ineffective if cluster is not None else ():
        role = str(entry.inputs.get("roleDefinitionId")).rpartition("/")[2]
        if cluster is not None and role == _AKS_ADMIN and cluster.id.lower() == str(entry.inputs["scope"]).lower():
            raise CloudError(
                f'"{object_id(resource.inputs)}" is forbidden: User "{entry.inputs["principalId"]}" cannot create '
                "resource: User does not have access to the resource in Azure. Update role assignment to allow access."
            )


def check_namespace(resource: Resource, ledger: Ledger, server: str) -> None:
    """An object needs its namespace (API server, NamespaceLifecycle admission: `namespaces "x" not found`).

    A Helm release may create it.
    """
    namespace = namespace_of(resource.inputs)
    if not namespace or namespace in _BUILT_IN | namespaces_of(cluster_at(ledger, server)):
        return
    if resource.token == RELEASE and resource.inputs.get("createNamespace") is True:
        return
    if ledger.get("kubernetes", server, _NAMESPACE, namespace) is None and not _created_by_release(
        ledger, server, namespace
    ):
        raise CloudError(f'resource "{object_id(resource.inputs)}" was not created: namespaces "{namespace}" not found')


def check_pod_security(resource: Resource, ledger: Ledger, server: str) -> None:
    """Pods of a chart must meet the standard of their namespace (API server, PodSecurity admission). The server refuses
    only the pods, so a release that waits for them fails.
    """
    inputs = resource.inputs
    if resource.token != RELEASE or inputs.get("skipAwait") is True:
        return
    namespace = ledger.get("kubernetes", server, _NAMESPACE, namespace_of(inputs))
    metadata = mapping(plain(namespace.inputs.get("metadata"))) if namespace is not None else None
    labels = mapping(mapping(metadata).get("labels"))
    if labels.get("pod-security.kubernetes.io/enforce") != "restricted":
        return
    values, chart = mapping(plain(inputs.get("values"))), known_chart(inputs)
    for one in workloads():
        if one.package == chart and one.is_there(values) and (why := one.violates_restricted(values)):
            raise CloudError(
                f'Helm release "{object_id(inputs)}" failed: context deadline exceeded: pods of the {one.kind} '
                f'{one.workload} are forbidden: violates PodSecurity "restricted:latest"; {why}'
            )


def check_definition(resource: Resource, ledger: Ledger, server: str) -> None:
    """A custom object needs the definition of its kind (client-go RESTMapper, `no matches for kind`)."""
    if not resource.type.open:
        return
    group_version, kind = resource.token.removeprefix("kubernetes:").rsplit(":", 1)
    group = group_version.split("/")[0]
    if not is_defined(ledger, server, group, kind):
        raise CloudError(
            f'resource "{object_id(resource.inputs)}" was not created: no matches for kind "{kind}" in version '
            f'"{group_version}": its definition is not in the cluster; make it depend on what brings it'
        )


def _created_by_release(ledger: Ledger, server: str, namespace: str) -> bool:
    releases = (entry.inputs for entry in ledger.mentioning({RELEASE}, namespace) if entry.scope == server)
    return any(inputs.get("createNamespace") is True and namespace_of(inputs) == namespace for inputs in releases)


def check_account(resource: Resource, ledger: Ledger, server: str) -> None:
    """A token needs its service account.

    Source: kubernetes v1.36.3, pkg/controller/serviceaccount/tokens_controller.go (syncSecret), which deletes a Secret
    without one; pulumi/pulumi-kubernetes, provider/pkg/await/await.go (untilCoreV1SecretInitialized).
    """
    account = account_of(resource.inputs)
    if account is not None and ledger.get("kubernetes", server, _SERVICE_ACCOUNT, "/".join(account)) is None:
        raise CloudError(
            f'resource "{object_id(resource.inputs)}" was not successfully created: its service account '
            f'"{"/".join(account)}" does not exist, so Kubernetes deletes it; make it depend on the account'
        )


def check_name_is_free(resource: Resource, ledger: Ledger, server: str) -> None:
    """A name is unique per kind and namespace (API server, AlreadyExists; Helm, "cannot re-use a name")."""
    id_ = object_id(resource.inputs)
    if ledger.get("kubernetes", server, resource.token, id_) is None:
        return
    if resource.token == RELEASE:
        raise CloudError(f"cannot re-use a name that is still in use: release {id_}")
    kind = resource.token.rsplit(":", 1)[-1]
    raise CloudError(
        f'resource "{id_}" was not successfully created by the Kubernetes API server: '
        f'{kind.lower()}s "{name_of(resource.inputs)}" already exists'
    )


class Cluster(Account):
    """The API server of one cluster."""

    def __init__(self, ledger: Ledger, server: str, config: Mapping[str, Any]) -> None:
        super().__init__(ledger)
        self.server = server
        self._namespace = str(config.get("namespace") or "default")
        self._mutable = {
            "ConfigMap": config.get("enableConfigMapMutable") is True,
            "Secret": config.get("enableSecretMutable") is True,
        }

    def scope(self, type_: ResourceType, values: Mapping[str, Any]) -> str:
        return self.server

    def defaults(self, resource: Resource, seed: bytes) -> dict[str, Any]:
        if resource.token == RELEASE:
            return with_release_name(resource, self._namespace, seed)
        return with_metadata(resource, self._namespace, seed)

    def failures(self, resource: Resource) -> list[Failure]:
        if resource.token == RELEASE:
            return [*super().failures(resource), *unknown_values(resource.inputs)]
        known = resource.type
        if known.open:
            known = custom_type(self.ledger, self.server, resource.token) or known
        return validate(resource.inputs, known, exact=True)

    def replaces(self, resource: Resource, change: Change) -> bool:
        name = property_names(change.path)[0]
        if resource.token == RELEASE:
            return name in ("name", "namespace")
        if self._mutable.get(resource.token.rsplit(":", 1)[-1]) and name != "metadata":
            return False
        return replaces(resource.token, change)

    def deletes_first(self, resource: Resource) -> bool:
        """A name from the program cannot exist twice."""
        if resource.token == RELEASE or name_of(resource.inputs) != name_of(resource.old_inputs):
            return resource.token == RELEASE and object_id(resource.inputs) == object_id(resource.old_inputs)
        annotations = mapping(mapping(plain(resource.inputs.get("metadata"))).get("annotations"))
        return bool(annotations.get(AUTONAMED) != "true")

    def known(self, resource: Resource) -> Mapping[str, Any]:
        return {"status": UNKNOWN} if resource.token == RELEASE and resource.outputs else {}

    def name(self, resource: Resource) -> str:
        return name_of(resource.inputs)

    def check_effective(self, resource: Resource, ineffective: Sequence[Entry]) -> None:
        check_rights(resource, self.ledger, self.server, ineffective)

    def create(self, resource: Resource) -> CreatedResource:
        if self.server != STAND_IN:
            check_reachable(self.ledger, self.server)
            check_definition(resource, self.ledger, self.server)
            check_namespace(resource, self.ledger, self.server)
            check_account(resource, self.ledger, self.server)
            check_pod_security(resource, self.ledger, self.server)
        check_name_is_free(resource, self.ledger, self.server)
        return CreatedResource(
            id=object_id(resource.inputs), name=name_of(resource.inputs), outputs=self.accept(resource)
        )

    def update(self, resource: Resource) -> CreatedResource:
        if self.server != STAND_IN:
            check_reachable(self.ledger, self.server)
            check_pod_security(resource, self.ledger, self.server)
        return CreatedResource(id=resource.id, name=name_of(resource.inputs), outputs=self.accept(resource))

    def accept(self, resource: Resource) -> dict[str, Any]:
        """The outputs of an object other than its inputs; raises CloudError if its kind does not allow its content."""
        controllers.check_labels(resource)
        gke.check_object(resource)
        aks.check_object(resource, cluster_at(self.ledger, self.server))
        return live(resource)

    def delete(self, entry: Entry) -> bool:
        """Deletes a namespace with its objects, as in a real cluster."""
        controllers.check_karpenter_removal(entry, self.ledger, self.server)
        controllers.check_kueue_removal(entry, self.ledger, self.server)
        if entry.type != "kubernetes:core/v1:Namespace":
            return True
        for other in self.ledger.under(entry.id):
            if other.scope == self.server:
                self.ledger.remove(other.provider, other.scope, other.type, other.id)
        return True

    def invoke(self, token: str, args: Mapping[str, Any]) -> Mapping[str, Any]:
        if token == "kubernetes:yaml:decode":
            return {"result": [document for document in yaml.safe_load_all(str(args["text"])) if document]}
        raise UnansweredError(token)
