"""A Slurm cluster on its pools: the operator, the controller, a login node, a node set for each pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pulumi

from gpucluster.components.kubernetes.jobs.job_pool import JobPool
from gpucluster.components.kubernetes.objects.charts import SLURM as OPERATOR_CHART
from gpucluster.components.kubernetes.objects.charts import SLURM_CRDS, mirrored
from gpucluster.components.kubernetes.objects.manifest import manifests
from gpucluster.components.kubernetes.objects.namespace import namespace, not_to_these, only_these_ports
from gpucluster.components.kubernetes.objects.objects import (
    CONFIG_MAP,
    NETWORK_POLICY,
    PERSISTENT_VOLUME_CLAIM,
    SECRET,
    SERVICE,
    SERVICE_ACCOUNT,
    STATEFUL_SET,
    Declared,
    Kind,
    manifest_of,
)
from gpucluster.components.kubernetes.objects.release import Release, release
from gpucluster.components.kubernetes.slurm.accounting import (
    DATABASE,
    OTHERS,
    SIZE,
    accounting_spec,
    database_spec,
    network_rules,
    service_spec,
)
from gpucluster.components.kubernetes.slurm.nodes import config_files, node_files
from gpucluster.components.kubernetes.slurm.objects import (
    ACCOUNTING,
    AUTH_KEY,
    CONFIG,
    CONTROLLER,
    JWT_KEY,
    LOGIN,
    LOGIN_SET,
    NODE_SET,
    OPERATOR,
    OPERATOR_NAMESPACE,
    REST_API,
    SLURM,
    SSSD,
    SSSD_FILE,
    STATE,
    USER,
    USER_SHELL,
    USERS,
    controller_spec,
    login_spec,
    node_files_name,
    node_set_spec,
    rest_api_spec,
)
from gpucluster.components.kubernetes.submitters import Right, Submitter, bound_role
from gpucluster.components.kubernetes.workspaces import Workspace, claims
from gpucluster.components.planning.names import HOME_CLAIM

_STATE_SIZE = "4Gi"
"""Source: SlinkyProject/slurm-operator v1.1.0, helm/slurm/values.yaml."""
_PORTS = (8080, 8081)
"""Of the operator: metrics and health. Source: the same, helm/slurm-operator/values.yaml."""

IN_SLURM: Final[Sequence[Right]] = (
    Right(
        group="apps",
        resources=("deployments",),
        verbs=("get",),
        name=LOGIN,
        why=f"only `{LOGIN}`, by which `kubectl exec` finds its pod",
    ),
    Right(resources=("pods",), verbs=("get", "list"), why="the same"),
    Right(
        resources=("pods/exec",),
        verbs=("get", "create"),
        why=f"policy `slurm-login`: only on the login node, and only a shell or a command of its user `{USER}`",
    ),
)
"""In the namespace of Slurm, of who `access.submitters` names."""


class Slurm(pulumi.ComponentResource):
    """Its pods are labelled as the cluster is: the operator copies the labels of its objects. Output: partitions."""

    def __init__(
        self,
        name: str,
        pools: Sequence[JobPool],
        *,
        cluster_name: str,
        workspace: Workspace,
        block_class: str,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
        closed: Sequence[str] = (),
        submitters: Sequence[Submitter] = (),
        accounting: bool = False,
        opts: pulumi.ResourceOptions | None = None,
    ) -> None:
        """pools: of Slurm, the first is the default partition. cluster_name: for Slurm's own records. workspace: with
        its volumes. block_class: of the volume with the queue. tolerations: of pods on CPU nodes. registry, after,
        closed: as in `Jobs`. submitters: who may use the login node, besides admins of the cluster.
        accounting: whether jobs are recorded.
        """
        super().__init__("gpucluster:kubernetes:Slurm", name, {}, opts)
        self._name = name
        space = {**namespace(SLURM, "privileged")}
        # slurmd needs no queue; the policy below says which pods of this namespace may have GPUs.
        labels = {**space["metadata"]["labels"], "gpucluster/gpu-nodes": "allowed"}
        space["metadata"] = {**space["metadata"], "labels": labels}
        here = Declared(f"{name}-namespace", space, pulumi.ResourceOptions(parent=self))
        self._space = here.object_name
        operator = self._operator(tolerations, registry, after)
        home = HOME_CLAIM in workspace.volumes
        files: list[pulumi.Resource] = [
            *claims(
                f"{name}-files",
                {claim: volume.for_team(SLURM) for claim, volume in workspace.volumes.items()},
                namespace=self._space,
                opts=pulumi.ResourceOptions(parent=self),
            ).values(),
            *self._keys(AUTH_KEY, JWT_KEY, *([DATABASE] if accounting else [])),
            self._volume(STATE, _STATE_SIZE, block_class),
            self._object(CONFIG_MAP, CONFIG, {"data": config_files(pools)}),
            self._object(SECRET, SSSD, {"type": "Opaque", "stringData": {SSSD_FILE: USERS}}),
            *self._network(closed),
            *self._policy(
                "policy",
                "slurm-pods.yaml",
                {
                    "pools": [pool.name for pool in pools],
                    "operator": f"system:serviceaccount:{OPERATOR_NAMESPACE}:{OPERATOR}",
                },
            ),
        ]
        if accounting:
            files += self._records(block_class, tolerations, registry, [operator, *files])
        spec = controller_spec(cluster_name, tolerations, registry, accounting=accounting)
        controller = self._object(CONTROLLER, SLURM, spec, [operator, *files])
        self._object(REST_API, SLURM, rest_api_spec(tolerations, registry), [controller])
        self._object(LOGIN_SET, LOGIN, login_spec(tolerations, registry, home=home), [controller])
        if submitters:
            self._admit(submitters)
        for pool in pools:
            image = mirrored(pool.release.pytorch, registry)
            made = self._object(CONFIG_MAP, node_files_name(pool), {"data": node_files(pool, image, home=home)})
            spec = node_set_spec(pool, registry, default=pool is pools[0], home=home)
            # Users change the number of nodes of an elastic pool by hand.
            scaled = pulumi.ResourceOptions(ignore_changes=["spec.replicas"] if pool.elastic else None)
            self._object(NODE_SET, pool.name, spec, [controller, made], scaled)
        self.register_outputs({"partitions": [pool.name for pool in pools]})

    def _object(
        self,
        kind: Kind,
        object_name: str,
        fields: Mapping[str, Any],
        after: Sequence[pulumi.Resource] = (),
        opts: pulumi.ResourceOptions | None = None,
        annotations: Mapping[str, str] | None = None,
    ) -> Declared:
        own = pulumi.ResourceOptions(parent=self, depends_on=[*after])
        return Declared(
            f"{self._name}-{object_name}-{kind.name.lower()}",
            manifest_of(kind, fields, object_name=object_name, namespace=self._space, annotations=annotations),
            pulumi.ResourceOptions.merge(own, opts),
        )

    def _operator(
        self, tolerations: Sequence[Mapping[str, str]], registry: str | None, after: Sequence[pulumi.Resource]
    ) -> Release:
        """Without its webhook, which checks what the definitions check as well, and would have to run before it."""
        here = pulumi.ResourceOptions(parent=self)
        space = Declared(f"{self._name}-operator-namespace", namespace(OPERATOR_NAMESPACE, "baseline"), here)
        only_these_ports(f"{self._name}-operator-ports", _PORTS, namespace=space.object_name, opts=here)
        definitions = release(
            f"{self._name}-definitions",
            SLURM_CRDS,
            release_name=SLURM_CRDS.name,
            namespace=space.object_name,
            values={},
            after=after,
            opts=here,
        )
        return release(
            f"{self._name}-operator",
            OPERATOR_CHART,
            release_name=OPERATOR,
            namespace=space.object_name,
            values={
                "operator": {
                    "image": {"repository": "ghcr.io/slinkyproject/slurm-operator", "tag": OPERATOR_CHART.version},
                    "tolerations": [dict(item) for item in tolerations],
                },
                "webhook": {"enabled": False},
                "certManager": {"enabled": False},
            },
            registry=registry,
            after=[definitions, *after],
            opts=here,
        )

    def _keys(self, *names: str) -> list[Declared]:
        """Tokens of an account without any right, as keys: Kubernetes makes them, no state holds them."""
        account = self._object(SERVICE_ACCOUNT, "keys", {"automountServiceAccountToken": False})
        kind = {"type": "kubernetes.io/service-account-token"}
        owner = {"kubernetes.io/service-account.name": "keys"}
        return [self._object(SECRET, key, kind, [account], annotations=owner) for key in names]

    def _volume(self, claim_name: str, size: str, block_class: str) -> Declared:
        claim = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": block_class,
            "resources": {"requests": {"storage": size}},
        }
        # Bound once its pod has a node.
        return self._object(PERSISTENT_VOLUME_CLAIM, claim_name, claim, annotations={"pulumi.com/skipAwait": "true"})

    def _records(
        self,
        block_class: str,
        tolerations: Sequence[Mapping[str, str]],
        registry: str | None,
        after: Sequence[pulumi.Resource],
    ) -> list[pulumi.Resource]:
        """The database and slurmdbd, which waits for it."""
        volume = self._volume(DATABASE, SIZE, block_class)
        service = self._object(SERVICE, DATABASE, service_spec())
        rules = self._object(NETWORK_POLICY, DATABASE, network_rules())
        spec = database_spec(tolerations, registry)
        database = self._object(STATEFUL_SET, DATABASE, spec, [volume, service, rules, *after])
        return [self._object(ACCOUNTING, SLURM, accounting_spec(tolerations, registry), [database])]

    def _network(self, closed: Sequence[str]) -> list[pulumi.Resource]:
        """Slurm's programs reach each other, and the operator its API. The database has its own rules."""
        operator = {"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": OPERATOR_NAMESPACE}}}
        rules: dict[str, Any] = {
            "podSelector": OTHERS,
            "policyTypes": ["Ingress"],
            "ingress": [{"from": [{"podSelector": {}}, operator]}],
        }
        made: list[pulumi.Resource] = [self._object(NETWORK_POLICY, "only-from-within", rules)]
        if closed:
            here = pulumi.ResourceOptions(parent=self)
            made.append(not_to_these(f"{self._name}-closed", closed, namespace=self._space, opts=here))
        return made

    def _policy(self, policy_name: str, file: str, values: Mapping[str, object]) -> list[Declared]:
        policy, binding = manifests(Path(__file__).with_name("manifests") / file, {"namespace": SLURM, **values})
        here = pulumi.ResourceOptions(parent=self)
        first = Declared(f"{self._name}-{policy_name}", policy, here)
        bound = pulumi.ResourceOptions(parent=self, depends_on=[first])
        return [first, Declared(f"{self._name}-{policy_name}-binding", binding, bound)]

    def _admit(self, people: Sequence[Submitter]) -> None:
        """A role can't tell pods by their labels, or commands: without the policy it would grant too much."""
        values = {"login": LOGIN, "shell": [*USER_SHELL], "words": " ".join(USER_SHELL)}
        limits = self._policy("login-policy", "slurm-login.yaml", values)
        after = pulumi.ResourceOptions(parent=self, depends_on=limits)
        bound_role(f"{self._name}-submitters", IN_SLURM, people, self._space, after)
