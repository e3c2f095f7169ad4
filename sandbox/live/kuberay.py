"""KubeRay's operator, for clusters with its definitions: a stack of ours does not include it.

Its chart is in no Go module; the chart's permissions are in a folder of the program's own. Its webhooks, which the
chart disables, are not in the program (`programs`).
"""

from __future__ import annotations

from typing import Any, Final

from gpucluster.sandbox.live.charts.fetch import Chart, fetch
from gpucluster.sandbox.live.controller import Controller
from gpucluster.sandbox.live.site import Site

NAME: Final = "kuberay-operator"
"""Name of the program, its chart and its service account."""
NAMESPACE: Final = "kuberay-system"
"""The namespace whose operator may create pods with GPUs by the rules of a stack (docs/jobs.md)."""

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
