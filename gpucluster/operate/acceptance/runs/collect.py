"""Accesses the cluster through kubectl: it supports every cloud's login."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, TypeVar

from gpucluster.components.planning.names import NAMESPACE
from gpucluster.core.text.typed import Source, json_value, typed
from gpucluster.errors import Fault
from gpucluster.operate.acceptance.logs.lines import Header, header_line
from gpucluster.operate.acceptance.objects import Job, Pod, PodList
from gpucluster.operate.acceptance.runs.steps import Step

_Shape = TypeVar("_Shape")


class ClusterError(Fault):
    """kubectl is missing or refused a request; the message is for the user."""


class Kubectl:
    """One cluster and a namespace, by default the one where jobs run. context: of the kubeconfig; None for the current
    one. namespace: None for that of the context.
    """

    def __init__(self, context: str | None, namespace: str | None = NAMESPACE) -> None:
        found = shutil.which("kubectl")
        if found is None:
            raise ClusterError("kubectl is not on PATH; install it, or pass the output of `kubectl get nodes -o json`")
        self._command = (found, *(("--context", context) if context else ()))
        self._command += ("--namespace", namespace) if namespace else ()

    def get(self, *words: str) -> Any:
        """`kubectl get WORDS -o json`. Raises InputError for an answer that is no JSON."""
        return json_value(self._run("get", *words, "--output", "json"), source("get", *words))

    def read(self, shape: type[_Shape], *words: str) -> _Shape:
        """The same, as a shape. Raises InputError for an answer of another one."""
        return typed(self.get(*words), shape, source("get", *words))

    def current_context(self) -> str:
        """The name that the kubeconfig gives to the cluster; empty without one."""
        try:
            return self._run("config", "current-context").strip()
        except ClusterError:
            return ""

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

    def log_of(self, name: str, namespace: str) -> str:
        """The log of an object, such as deployment/NAME, of the last hour."""
        return self._run("logs", name, "--namespace", namespace, "--since", "1h")

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
            # kubectl logs each attempt in a separate line; its last line is for users.
            lines = done.stderr.strip().splitlines() or [f"exit code {done.returncode}"]
            raise ClusterError(f"kubectl {' '.join(words[:2])}: {lines[-1]}")
        return done.stdout


def source(*words: str) -> Source:
    """The name of a command's answer in errors."""
    return Source(name=f"`kubectl {' '.join(words)}`", fix="check the `kubectl` on PATH, and --context", program=True)


def _list(objects: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"apiVersion": "v1", "kind": "List", "items": list(objects)})


_POLL_SECONDS: Final = 10


def unmeasured(steps: Sequence[Step], results: Path, say: Callable[[str], None]) -> list[Step]:
    """The steps without a log; reports the others."""
    for step in steps:
        if (log := _log(step, results)).exists():
            say(f"{step.title}: {log} exists, step skipped")
    return [step for step in steps if not _log(step, results).exists()]


def _log(step: Step, results: Path) -> Path:
    return results / f"{step.name}.log"


class Collector:
    """results: folder of the logs. say: for progress. systems: of the nodes, as in a log's header."""

    def __init__(
        self,
        kubectl: Kubectl,
        results: Path,
        machine_type: str | None,
        say: Callable[[str], None],
        *,
        systems: Mapping[str, Mapping[str, str]],
    ) -> None:
        self._kubectl = kubectl
        self._systems = systems
        self._placed: dict[str, dict[str, str]] = {}
        self._results = results
        self._machine_type = machine_type
        self._say = say

    def run(self, steps: Sequence[Step]) -> list[Path]:
        """Runs the steps concurrently; returns the logs in their order.

        Raises ClusterError if the cluster refuses one; removes the created objects in any case.
        """
        open_ = unmeasured(steps, self._results, self._say)
        started: list[Step] = []
        try:
            for step in open_:
                self._say(f"{step.title}: started")
                started.append(step)
                self._kubectl.apply(step.objects)
            for step in open_:
                ended = self._wait(step)
                self._keep(step)
                self._say(f"{step.title}: {ended}, log in {self._log(step)}")
        finally:
            for step in started:
                self._kubectl.delete(step.objects)
        return [self._log(step) for step in steps]

    def _log(self, step: Step) -> Path:
        return _log(step, self._results)

    def _wait(self, step: Step) -> str:
        since, message = time.monotonic(), ""
        while True:
            for condition in self._kubectl.read(Job, *step.watched).status.conditions:
                if condition.status == "True" and condition.type in ("Complete", "Failed"):
                    return f"{condition.type.lower()} after {_minutes(time.monotonic() - since)}"
            waited = time.monotonic() - since
            if waited > step.minutes * 60:
                return f"timed out after {_minutes(waited)}: {self._pending(step)}"
            pending = self._pending(step)
            if pending != message:
                self._say(f"{step.title}: {pending} after {_minutes(waited)}")
                message = pending
            time.sleep(_POLL_SECONDS)

    def _pending(self, step: Step) -> str:
        """The number of pods in each phase."""
        phases: dict[str, int] = {}
        for pod in self._pods(step):
            phase = pod.status.phase.lower()
            phases[phase] = phases.get(phase, 0) + 1
        return ", ".join(f"{count} pods {phase}" for phase, count in sorted(phases.items())) or "no pods yet"

    def _keep(self, step: Step) -> None:
        self._pods(step)
        nodes = self._placed.get(step.name, {})
        header = Header(
            nodes=nodes,
            machine_type=self._machine_type,
            algorithm=step.algorithm,
            collective=step.collective,
            systems={node: self._systems[node] for node in sorted(set(nodes.values())) if node in self._systems},
        )
        try:
            text = self._kubectl.logs(step.logged)
        except ClusterError as error:
            text = f"no log: {error}\n"
        path = self._log(step)
        # A log truncated by a kill must not look complete.
        unfinished = path.with_suffix(".part")
        unfinished.write_text(f"{header_line(header)}\n{text}", encoding="utf-8")
        unfinished.replace(path)

    def _pods(self, step: Step) -> list[Pod]:
        pods = self._kubectl.read(PodList, "pods", "--selector", step.pods).items
        # When a launcher completes, JobSet deletes the other pods, and with them the record of their nodes.
        self._placed.setdefault(step.name, {}).update(
            {
                name: pod.spec.node
                for pod in pods
                if pod.spec.node
                for name in (pod.metadata.name, pod.spec.hostname)
                if name
            }
        )
        return pods


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.0f} min"
