"""elbencho on shared storage from all nodes at once: large files, then many small ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from gpucluster.acceptance.runs.gpu_pod import indexed_job, one_a_node
from gpucluster.acceptance.runs.step import Step
from gpucluster.components.names import ACCEPTANCE, ADDONS_TOLERATION, POOL, SHARED_CLAIM, SHARED_PATH, SYSTEM_POOL

ELBENCHO_IMAGE: Final = (
    "breuner/elbencho:v3.1-11@sha256:719fba92cab57c773ddf7a2776414b358aeb8126a15fbc8e3c52469ce3a5b8b2"
)
"""The tool author's image on Docker Hub. Source of the digest: the pins of a public storage benchmark."""

_NAME: Final = "acceptance-storage"
_SERVED: Final = f"{_NAME}-node"
_PORT: Final = 1611

# Per node: 8 threads with a file of 8 GiB each, past every cache; then 8 threads with 2,500 files of 4 KiB each.
_LARGE: Final = (
    "--threads 8 --dirs 1 --files 1 --size 8g --block 1m --direct --iodepth 4 --mkdirs --write --read --delfiles "
    "--deldirs"
)
_SMALL: Final = (
    "--threads 8 --dirs 1 --files 2500 --size 4k --block 4k --mkdirs --write --stat --read --delfiles --deldirs"
)


def storage(nodes: Sequence[str]) -> Step:
    """One service per node, and a coordinator on a CPU node, so that no GPU waits."""
    hosts = ",".join(f"{_SERVED}-{index}.{_NAME}" for index in range(len(nodes)))
    results, folder = "/tmp/results.json", f"{SHARED_PATH}/acceptance"
    measure = " && ".join(
        f"elbencho --hosts {hosts} --svcwait 900 {work} --jsonfile {results} --nolive {folder} >/dev/null"
        for work in (_LARGE, _SMALL)
    )
    quit_ = f"elbencho --hosts {hosts} --quit"
    script = f"mkdir -p {folder} && {measure}; code=$?; {quit_}; cat {results}; exit $code"
    served = {
        **one_a_node(_SERVED, nodes),
        "subdomain": _NAME,
        "containers": [_container(f"exec elbencho --service --foreground --port {_PORT}")],
        "volumes": [_volume()],
    }
    coordinator = {
        "nodeSelector": {POOL: SYSTEM_POOL},
        "tolerations": [ADDONS_TOLERATION],
        "automountServiceAccountToken": False,
        "containers": [_container(script)],
        "volumes": [_volume()],
    }
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": _NAME, "labels": {ACCEPTANCE: _NAME}},
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": True,
            "selector": {ACCEPTANCE: _SERVED},
            "ports": [{"port": _PORT}],
        },
    }
    return Step(
        name=_NAME,
        title=f"shared storage from {len(nodes)} nodes, large files and small ones",
        objects=(
            service,
            indexed_job(_SERVED, _SERVED, count=len(nodes), pod=served),
            indexed_job(_NAME, _NAME, count=1, pod=coordinator),
        ),
        watched=("job", _NAME),
        logged=f"{ACCEPTANCE}={_NAME}",
        pods=f"{ACCEPTANCE}={_SERVED}",
        minutes=60,
    )


def _container(script: str) -> dict[str, Any]:
    return {
        "name": "elbencho",
        "image": ELBENCHO_IMAGE,
        "command": ["/bin/sh", "-c", script],
        "volumeMounts": [{"name": SHARED_CLAIM, "mountPath": SHARED_PATH}],
        "securityContext": {"allowPrivilegeEscalation": False},
    }


def _volume() -> dict[str, Any]:
    return {"name": SHARED_CLAIM, "persistentVolumeClaim": {"claimName": SHARED_CLAIM}}
