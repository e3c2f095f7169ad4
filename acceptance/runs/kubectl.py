"""Accesses the cluster through kubectl: it supports every cloud's login."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from gpucluster.components.names import NAMESPACE
from gpucluster.errors import Fault
from gpucluster.textio.typed import Source, json_value, typed

_Shape = TypeVar("_Shape")


class ClusterError(Fault):
    """kubectl is missing or refused a request; the message is for the user."""


class Kubectl:
    """One cluster and the namespace where jobs run. context: of the kubeconfig; None for the current one."""

    def __init__(self, context: str | None) -> None:
        found = shutil.which("kubectl")
        if found is None:
            raise ClusterError("kubectl is not on PATH; install it, or pass the output of `kubectl get nodes -o json`")
        self._command = (found, *(("--context", context) if context else ()), "--namespace", NAMESPACE)

    def get(self, *words: str) -> Any:
        """`kubectl get WORDS -o json`. Raises InputError for an answer that is no JSON."""
        return json_value(self._run("get", *words, "--output", "json"), source("get", *words))

    def read(self, shape: type[_Shape], *words: str) -> _Shape:
        """The same, as a shape. Raises InputError for an answer of another one."""
        return typed(self.get(*words), shape, source("get", *words))

    def apply(self, objects: Sequence[Mapping[str, Any]]) -> None:
        """Applies objects; existing ones are an error: another acceptance runs, or one was killed."""
        self._run("create", "--filename", "-", stdin=_list(objects))

    def delete(self, objects: Sequence[Mapping[str, Any]]) -> None:
        """Deletes objects; missing ones are no error."""
        self._run("delete", "--ignore-not-found", "--wait", "--filename", "-", stdin=_list(objects))

    def logs(self, selector: str) -> str:
        """All log lines of the pods that a selector matches, with the pod's name as prefix."""
        most = ("--max-log-requests", "1000", "--tail", "-1")
        return self._run("logs", "--selector", selector, "--prefix", "--all-containers", *most)

    def _run(self, *words: str, stdin: str | None = None) -> str:
        try:
            done = subprocess.run(
                [*self._command, *words],
                input=stdin,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                check=False,
            )
        except OSError as error:
            raise ClusterError(f"{self._command[0]} cannot be run: {error.strerror}; install kubectl") from None
        if done.returncode:
            # kubectl logs each attempt in a line of its own; its last line is for users.
            said = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise ClusterError(f"kubectl {' '.join(words[:2])}: {said[-1]}")
        return done.stdout


def source(*words: str) -> Source:
    """What the answer of a command is called in errors."""
    return Source(name=f"`kubectl {' '.join(words)}`", fix="check the `kubectl` on PATH, and --context", program=True)


def _list(objects: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})
