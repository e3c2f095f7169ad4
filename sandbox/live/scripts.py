"""Deployments of the stack whose program is a file of their own ConfigMap, run directly."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gpucluster.sandbox.clouds.kubernetes.objects import name_of, namespace_of
from gpucluster.sandbox.clouds.values import plain
from gpucluster.sandbox.live.controller import Controller
from gpucluster.sandbox.live.site import Site
from gpucluster.sandbox.type_guards import items, mapping

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
