"""A Helm release of the stack as a running program, with the configuration that its chart derives from its values."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from gpucluster.core.text.type_guards import items, mapping
from gpucluster.sandbox.clouds.kubernetes.objects import namespace_of
from gpucluster.sandbox.engine.engine import EngineError
from gpucluster.sandbox.live.charts import Chart, render
from gpucluster.sandbox.live.controllers import Controller, Site
from gpucluster.sandbox.live.programs import CERTIFICATES

REPLACED: Final = "addresses, ports, certificates, leader election, Kueue's API of pending workloads (off)"
"""The parts of a chart's configuration that are different here."""

# The kinds that the program needs in the API server; the rest of a chart is for pods, which do not run here.
_APPLIED: Final = frozenset(
    {
        "ClusterRole",
        "ClusterRoleBinding",
        "ConfigMap",
        "PriorityClass",
        "Role",
        "RoleBinding",
        "ServiceAccount",
    }
)
_NAMESPACED: Final = frozenset({"ConfigMap", "Role", "RoleBinding", "ServiceAccount"})
_WEBHOOKS: Final = frozenset({"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"})
_FILE: Final = "controller_manager_config.yaml"
# Sources: kueue v0.19.2, apis/config/v1beta2/configuration_types.go; jobset v0.12.0, api/config/v1alpha1/types.go; lws
# v0.9.0, api/config/v1alpha1/configuration_types.go;
# trainer v2.2.1, pkg/apis/config/v1alpha1/configuration_types.go.
_MANAGES_CERTIFICATES: Final = {
    "jobset": "internalCertManagement",
    "kueue": "internalCertManagement",
    "lws": "internalCertManagement",
    "trainer": "certManagement",
}
_NAMES_CERTIFICATES: Final = frozenset({"jobset", "kueue", "lws"})
# Its certificate is in a folder without a configuration option, and the API server would have to reach it as a Service.
# Source: kueue v0.19.2, pkg/visibility/server.go, pkg/features/kube_features.go.
_OFF: Final = {"kueue": "VisibilityOnDemand"}
_GATES: Final = "--feature-gates="
# Configured by flags alone, of which the last one of a name holds: SlinkyProject/slurm-operator v1.1.0,
# cmd/manager/main.go.
_BY_FLAGS: Final = frozenset({"slurm-operator"})


@dataclass(frozen=True, kw_only=True)
class Running:
    """controller: the program. objects: its prerequisites. webhooks: objects that require the running program."""

    controller: Controller
    objects: Sequence[Mapping[str, Any]]
    webhooks: Sequence[Mapping[str, Any]]


def running(chart: Chart, release: Mapping[str, Any], site: Site) -> Running:
    """The program of a release. release: its inputs. Raises EngineError."""
    documents = render(chart, release, site.say)
    container, account = _container(documents, chart)
    place = site.folder / chart.program
    certificates = _certificates(place, site)
    ports = {name: site.port() for name in ("health", "metrics", "webhook")}
    arguments = [str(item) for item in items(container.get("args"))]
    if chart.program in _BY_FLAGS:
        arguments += _local_flags(ports)
    else:
        local = _local(_configuration(documents, chart), chart.program, ports, certificates)
        arguments = _without_what_is_off(chart.program, arguments, local)
        file = _written(local, place)
        arguments = [f"--config={file}" if word.startswith("--config=") else word for word in arguments]
    controller = Controller(
        name=chart.program,
        command=[str(site.program(chart.program)), *arguments],
        environment={
            **{str(item["name"]): str(item["value"]) for item in items(container.get("env")) if "value" in item},
            "KUBECONFIG": str(site.kubeconfig(account)),
            "TMPDIR": str(place),
        },
        ready=ports["health"],
        folder=str(place),
    )
    bundle = base64.b64encode(site.server.authority.read_bytes()).decode()
    return Running(
        controller=controller,
        objects=[_placed(document, release) for document in documents if document["kind"] in _APPLIED],
        webhooks=[
            _pointed(document, ports["webhook"], bundle) for document in documents if document["kind"] in _WEBHOOKS
        ],
    )


def _placed(document: Mapping[str, Any], release: Mapping[str, Any]) -> Mapping[str, Any]:
    """The object, in the namespace of its release if it names none, as Helm puts it."""
    if document["kind"] not in _NAMESPACED:
        return document
    return {**document, "metadata": {"namespace": namespace_of(release), **mapping(document["metadata"])}}


def _container(documents: Sequence[Mapping[str, Any]], chart: Chart) -> tuple[Mapping[str, Any], str]:
    """The container of the program, and the service account of its pod as `namespace:name`."""
    for document in documents:
        if document["kind"] != "Deployment":
            continue
        pod = mapping(mapping(mapping(document["spec"]).get("template")).get("spec"))
        for container in map(mapping, items(pod.get("containers"))):
            if items(container.get("command")) == ["/manager"] or container.get("name") == chart.program:
                return container, f"{document['metadata']['namespace']}:{pod['serviceAccountName']}"
    raise EngineError(f"The chart {chart.name} {chart.version} has no Deployment whose command is /manager.")


def _local_flags(ports: Mapping[str, int]) -> list[str]:
    return [
        f"--health-addr=127.0.0.1:{ports['health']}",
        f"--metrics-addr=127.0.0.1:{ports['metrics']}",
        "--leader-elect=false",
    ]


def _configuration(documents: Sequence[Mapping[str, Any]], chart: Chart) -> dict[str, Any]:
    import yaml

    for document in documents:
        text = mapping(document.get("data")).get(_FILE) if document["kind"] == "ConfigMap" else None
        if text is not None:
            return yaml.safe_load(str(text))
    raise EngineError(f"The chart {chart.name} {chart.version} has no ConfigMap with {_FILE}.")


def _local(
    configuration: Mapping[str, Any], program: str, ports: Mapping[str, int], certificates: Path
) -> dict[str, Any]:
    """The configuration with the local differences."""
    webhook = {**mapping(configuration.get("webhook")), "host": "127.0.0.1", "port": ports["webhook"]}
    if program in _NAMES_CERTIFICATES:
        webhook["certDir"] = str(certificates)
    return {
        **configuration,
        "health": {
            **mapping(configuration.get("health")),
            "healthProbeBindAddress": f"127.0.0.1:{ports['health']}",
        },
        "metrics": {**mapping(configuration.get("metrics")), "bindAddress": f"127.0.0.1:{ports['metrics']}"},
        "webhook": webhook,
        "leaderElection": {**mapping(configuration.get("leaderElection")), "leaderElect": False},
        _MANAGES_CERTIFICATES[program]: {"enable": False},
    }


def _certificates(place: Path, site: Site) -> Path:
    """A folder with the API server's certificate, which is valid for 127.0.0.1, at the path where a program expects its
    own.
    """
    folder = place / CERTIFICATES
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(site.server.authority, folder / "tls.crt")
    shutil.copy(site.server.authority.with_suffix(".key"), folder / "tls.key")
    return folder


def _written(configuration: Mapping[str, Any], place: Path) -> Path:
    """The configuration file, whose name depends on its content: another configuration is another command."""
    text = json.dumps(configuration, indent=2)
    for left in place.glob("configuration-*"):
        left.unlink()
    file = place / f"configuration-{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    file.write_text(text)
    return file


def _without_what_is_off(program: str, arguments: Sequence[str], configuration: dict[str, Any]) -> list[str]:
    """The arguments, or the configuration if that has the feature gates: a program accepts only one of them."""
    if program not in _OFF:
        return [*arguments]
    if configuration.get("featureGates"):
        configuration["featureGates"] = {**configuration["featureGates"], _OFF[program]: False}
        return [*arguments]
    given = [argument.removeprefix(_GATES) for argument in arguments if argument.startswith(_GATES)]
    gates = f"{_GATES}{','.join([*given, f'{_OFF[program]}=false'])}"
    return [*(argument for argument in arguments if not argument.startswith(_GATES)), gates]


def _pointed(document: Mapping[str, Any], port: int, bundle: str) -> dict[str, Any]:
    """The webhooks of a chart, called at a port of this machine instead of a Service."""
    metadata = {key: value for key, value in mapping(document["metadata"]).items() if key in ("name", "labels")}
    webhooks: list[dict[str, Any]] = []
    for webhook in map(mapping, items(document.get("webhooks"))):
        path = str(mapping(mapping(webhook["clientConfig"]).get("service")).get("path") or "")
        client = {"url": f"https://127.0.0.1:{port}{path}", "caBundle": bundle}
        webhooks.append({**webhook, "clientConfig": client})
    return {"apiVersion": document["apiVersion"], "kind": document["kind"], "metadata": metadata, "webhooks": webhooks}
