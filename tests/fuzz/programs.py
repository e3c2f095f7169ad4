"""A `pulumi` and a `kubectl` that answer from files: each its own words, one of them a mutant."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.fuzz.kind import texts

__all__ = ["ANSWERS", "answering", "put"]

_PROGRAM: Final = """#!/bin/sh
for file in "$WHOLE"/*; do
  case "$*" in *"${file##*/}"*) answer=$file ;; esac
done
case "$*" in *"$ASKED"*)
  if [ -n "$FAILS" ]; then /bin/cat "$MUTANT" >&2; exit 1; fi
  answer=$MUTANT ;;
esac
[ -z "$answer" ] || exec /bin/cat "$answer"
"""

_NODES: Final = ("node-a", "node-b")
_KUBECONFIG: Final = {
    "clusters": [{"name": "c", "cluster": {"server": "https://one.example", "certificate-authority-data": "YQ=="}}],
    "users": [{"name": "c", "user": {"exec": {"command": "aws", "args": ["eks", "get-token"]}}}],
}


def _node(name: str) -> Mapping[str, Any]:
    labels = {
        "gpucluster/pool": "training",
        "node.kubernetes.io/instance-type": "p5.48xlarge",
        "topology.kubernetes.io/zone": "us-east-1a",
        "topology.kubernetes.io/region": "us-east-1",
        "topology.k8s.aws/network-node-layer-1": "nn-1",
    }
    status = {"nodeInfo": {"kernelVersion": "6.12", "kubeletVersion": "v1.34.1"}}
    return {"kind": "Node", "metadata": {"name": name, "labels": labels}, "spec": {}, "status": status}


def _pod(name: str, node: str) -> Mapping[str, Any]:
    containers = [{"resources": {"limits": {"nvidia.com/gpu": "8"}}}]
    return {
        "metadata": {"name": name, "namespace": "training"},
        "spec": {"nodeName": node, "hostname": name, "containers": containers},
        "status": {"phase": "Succeeded"},
    }


def _state() -> str:
    """Of a stack whose time is over."""
    document: dict[str, Any] = json.loads(texts("tests/gpucluster/core/program/recordings/state.json")[0])
    for record in document["deployment"]["resources"]:
        record |= {"created": "2026-01-01T00:00:00.123456789Z", "modified": "2026-01-01T00:00:00Z"}
        if record["type"].endswith(":Cluster"):
            record["outputs"] = {**record.get("outputs", {}), "durationDays": 14}
    return json.dumps(document)


_QUOTA: Final = {"flavors": [{"resources": [{"name": "nvidia.com/gpu", "nominalQuota": "16"}]}]}

ANSWERS: Final[Mapping[str, str]] = {
    "stack output": json.dumps(
        {
            "account": "000000000000",
            "clusterName": "trial-aws-trial",
            "sharedStorage": {"namespace": "training", "claim": "shared"},
            "registry": {"image": "registry.example/jobs", "login": "log-in registry.example", "caches": {}},
            "logs": {"console": "https://console.example", "command": "read-logs JOB"},
            "kubeconfig": json.dumps(_KUBECONFIG),
        }
    ),
    "stack export": _state(),
    "stack ls": json.dumps([{"name": "dev", "current": True, "resourceCount": 3}, {"name": "organization/p/other"}]),
    "preview --stack dev": texts("tests/gpucluster/core/program/recordings/plan.json")[0],
    "create --raw": json.dumps({"kind": "SelfSubjectAccessReview", "status": {"allowed": True}}),
    "get nodes": json.dumps({"kind": "List", "items": [_node(name) for name in _NODES]}),
    "get pods": json.dumps({"items": [_pod(f"pod-{at}", name) for at, name in enumerate(_NODES)]}),
    "get clusterqueue": json.dumps({"spec": {"resourceGroups": [_QUOTA]}}),
    "get job": json.dumps({"status": {"conditions": [{"type": "Complete", "status": "True"}]}}),
    "get trainjob": json.dumps({"status": {"conditions": [{"type": "Failed", "status": "True"}]}}),
    "logs": texts("examples/acceptance/p5-ring-healthy.log")[0],
}
"""Words of `pulumi` and `kubectl` -> the whole answer."""


def put(folder: Path) -> None:
    """Writes the programs, and their whole answers. `aws` gives the token of a context."""
    (folder / "bin").mkdir()
    (folder / "answers").mkdir()
    for name, text in {"pulumi": _PROGRAM, "kubectl": _PROGRAM, "aws": "#!/bin/sh\n"}.items():
        (folder / "bin" / name).write_text(text)
        (folder / "bin" / name).chmod(0o755)
    for words, text in ANSWERS.items():
        (folder / "answers" / words).write_text(text)


def answering(folder: Path, words: str, mutant: Path, *, fails: bool) -> dict[str, str]:
    """The environment in which a mutant answers some words. fails: as what a program that fails has to say."""
    return {
        "PATH": str(folder / "bin"),
        "WHOLE": str(folder / "answers"),
        "ASKED": words or "nobody asks this",
        "MUTANT": str(mutant),
        "FAILS": "yes" if fails else "",
    }
