"""Kubernetes' own controllers, and kwok, which simulates the kubelets of nodes without machines."""

from __future__ import annotations

import json
from importlib import resources
from typing import Final

from gpucluster.sandbox.live.controller import Controller
from gpucluster.sandbox.live.site import Site

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
