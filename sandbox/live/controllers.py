"""A program that runs with the API server of a cluster."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.api_server.client import Client
from gpucluster.sandbox.api_server.keeper import free_port
from gpucluster.sandbox.api_server.server import Server
from gpucluster.sandbox.clouds.kubernetes.objects import name_of, namespace_of
from gpucluster.sandbox.clouds.store.ledger import Ledger
from gpucluster.sandbox.clouds.types.values import plain
from gpucluster.sandbox.engine.progress import Say
from gpucluster.sandbox.live.charts import Chart, fetch
from gpucluster.sandbox.live.programs import find_program


@dataclass(frozen=True, kw_only=True)
class Controller:
    """name: also of its log. environment: in addition to PATH. ready: the port whose /readyz answers when it works.

    folder: its working folder; by default that of its log.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    ready: int | None = None
    folder: str | None = None


PORTS: Final = "ports.json"


@dataclass(frozen=True, kw_only=True)
class Site:
    """scope: the address of the cluster, which identifies its objects in the ledger. folder: for logs and
    configuration. say: prints a line for the user.
    """

    server: Server
    client: Client
    ledger: Ledger
    scope: str
    folder: Path
    say: Say

    def kubeconfig(self, account: str | None = None) -> Path:
        """The kubeconfig of a program that acts as a service account, `namespace:name`, with only its permissions.

        account: also a user of Kubernetes' own, such as `system:kube-scheduler`. None: the administrator.
        """
        document = self.server.kubeconfig()
        if account is not None:
            document["users"][0]["user"] |= impersonated(account)
        file = self.folder / f"{(account or 'administrator').replace(':', '.')}.kubeconfig"
        text = json.dumps(document)
        # Running programs read it again.
        if not file.exists() or file.read_text() != text:
            file.touch(mode=0o600)
            file.write_text(text)
        return file

    def program(self, name: str) -> Path:
        """The program, built if missing. Raises EngineError."""
        return find_program(name, self.say)

    def port(self, kept: str = "") -> int:
        """An unused port; with a name, the same one until the cluster is restarted."""
        file = self.folder / PORTS
        there: dict[str, int] = json.loads(file.read_text()) if file.exists() else {}
        if kept and kept in there:
            return there[kept]
        port = free_port()
        if kept:
            file.write_text(json.dumps({**there, kept: port}))
        return port


def impersonated(account: str) -> dict[str, Any]:
    """The API server's identity of a service account (kubernetes v1.36.3,
    staging/src/k8s.io/apiserver/pkg/authentication/serviceaccount/util.go).
    """
    if account.startswith("system:"):
        return {"as": account, "as-groups": ["system:authenticated"]}
    namespace = account.partition(":")[0]
    return {
        "as": f"system:serviceaccount:{account}",
        "as-groups": ["system:serviceaccounts", f"system:serviceaccounts:{namespace}", "system:authenticated"],
    }


_GRACE_SECONDS: Final = 40
"""Time after which an unresponsive node is not ready; also the duration of a node's lease. Kubernetes' default until
1.31 (kubernetes v1.31.0, pkg/controller/nodelifecycle/config/v1alpha1/defaults.go), 50 since."""


def control_plane(site: Site) -> list[Controller]:
    """The controllers of every cluster. Raises EngineError if one can't be built."""
    return [_manager(site), _scheduler(site), _kwok(site)]


def _manager(site: Site) -> Controller:
    access = site.kubeconfig("system:kube-controller-manager")
    key = site.server.authority.with_suffix(".key")
    flags = [
        *(f"--kubeconfig={access}", "--leader-elect=false", "--secure-port=0"),
        # Each controller has its own account, which admission rules use to identify it.
        "--use-service-account-credentials",
        # The keys that sign the tokens of service accounts, and the CA that pods trust.
        *(f"--service-account-private-key-file={key}", f"--root-ca-file={site.server.authority}"),
        # The cloud assigns the addresses of pods.
        "--allocate-node-cidrs=false",
        f"--node-monitor-grace-period={_GRACE_SECONDS}s",
    ]
    return Controller(name="kube-controller-manager", command=[str(site.program("kube-controller-manager")), *flags])


def _scheduler(site: Site) -> Controller:
    configuration = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "leaderElection": {"leaderElect": False},
        "clientConnection": {"kubeconfig": str(site.kubeconfig("system:kube-scheduler"))},
    }
    file = site.folder / "kube-scheduler.yaml"
    file.write_text(json.dumps(configuration))
    return Controller(
        name="kube-scheduler", command=[str(site.program("kube-scheduler")), f"--config={file}", "--secure-port=0"]
    )


def _kwok(site: Site) -> Controller:
    stages = site.folder / "stages.yaml"
    stages.write_text(resources.files("gpucluster.sandbox.live.nodes").joinpath("stages.yaml").read_text())
    flags = [
        *(f"--kubeconfig={site.kubeconfig()}", f"--config={stages}"),
        *("--manage-all-nodes=false", "--manage-nodes-with-label-selector=kwok.x-k8s.io/node=fake"),
        f"--node-lease-duration-seconds={_GRACE_SECONDS}",
    ]
    return Controller(name="kwok", command=[str(site.program("kwok")), *flags])


NAME: Final = "kuberay-operator"
"""Name of the program, its chart and its service account."""
NAMESPACE: Final = "kuberay-system"
"""The namespace whose operator may create pods with GPUs by the rules of a stack (docs/run/jobs.md)."""

_RIGHTS: Final = Chart(
    name="kuberay-rights", program=NAME, module="github.com/ray-project/kuberay/ray-operator", folder="config/rbac"
)
_VERSION: Final = "rbac.authorization.k8s.io/v1"


def kuberay(site: Site) -> Controller | None:
    """None if the cluster does not have Ray's kinds. Raises EngineError."""
    if not site.client.knows("ray.io/v1", "RayCluster"):
        return None
    for document in _objects(site):
        site.client.apply(document)
    health = site.port(NAME)
    return Controller(
        name=NAME,
        command=[
            str(site.program(NAME)),
            f"--health-probe-bind-address=127.0.0.1:{health}",
            f"--metrics-addr=127.0.0.1:{site.port(f'{NAME}-metrics')}",
            "--enable-leader-election=false",
        ],
        environment={"KUBECONFIG": str(site.kubeconfig(f"{NAMESPACE}:{NAME}"))},
        ready=health,
    )


def _objects(site: Site) -> list[dict[str, Any]]:
    """Its account, with the permissions of its chart."""
    import yaml

    role = yaml.safe_load((fetch(_RIGHTS, site.say) / "role.yaml").read_text())
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": NAME, "namespace": NAMESPACE}},
        role,
        {
            "apiVersion": _VERSION,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": NAME},
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": role["metadata"]["name"],
            },
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": NAMESPACE}],
        },
    ]


_DEPLOYMENT: Final = "kubernetes:apps/v1:Deployment"
_CONFIG_MAP: Final = "kubernetes:core/v1:ConfigMap"
_PYTHON: Final = "python3"


def scripts(site: Site) -> list[Controller]:
    """Deployments in Python: with the arguments of their pods, and the permissions of their service accounts."""
    found = (_script(plain(entry.inputs), site) for entry in site.ledger.find("kubernetes", site.scope, _DEPLOYMENT))
    return [controller for controller in found if controller is not None]


def _script(deployment: Mapping[str, Any], site: Site) -> Controller | None:
    pod = mapping(mapping(mapping(deployment.get("spec")).get("template")).get("spec"))
    container = mapping(next(iter(items(pod.get("containers"))), None))
    command = [str(word) for word in items(container.get("command"))]
    if command[:1] != [_PYTHON]:
        return None
    name, namespace = name_of(deployment), namespace_of(deployment)
    places = _places(pod, container, namespace, site.folder / name, site)
    return Controller(
        name=name,
        command=[sys.executable, *(_moved(word, places) for word in command[1:])],
        environment={"KUBECONFIG": str(site.kubeconfig(f"{namespace}:{pod.get('serviceAccountName')}"))},
    )


def _places(
    pod: Mapping[str, Any], container: Mapping[str, Any], namespace: str, folder: Path, site: Site
) -> dict[str, Path]:
    """Folder in the pod -> local folder with the files of its ConfigMap: other files are another command."""
    volumes = {str(it.get("name")): mapping(it.get("configMap")).get("name") for it in _mappings(pod, "volumes")}
    there: dict[tuple[str, str], Any] = {}
    for entry in site.ledger.find("kubernetes", site.scope, _CONFIG_MAP):
        made: Any = plain(entry.inputs)
        there[namespace_of(made), name_of(made)] = made.get("data")
    places: dict[str, Path] = {}
    for mount in _mappings(container, "volumeMounts"):
        files = there.get((namespace, str(volumes.get(str(mount.get("name"))))))
        if files is not None:
            text = json.dumps(files, sort_keys=True)
            place = folder / hashlib.sha256(text.encode()).hexdigest()[:12]
            place.mkdir(parents=True, exist_ok=True)
            for file, text in mapping(files).items():
                (place / file).write_text(str(text))
            places[str(mount.get("mountPath"))] = place
    return places


def _moved(word: str, places: Mapping[str, Path]) -> str:
    for inside, here in places.items():
        if word.startswith(f"{inside}/"):
            return str(here / word.removeprefix(f"{inside}/"))
    return word


def _mappings(holder: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    return [mapping(item) for item in items(holder.get(key))]
