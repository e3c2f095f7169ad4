"""Host access that a pod requests, in every kind that contains one and in the values of charts.

Sources: Kubernetes page "Pod Security Standards" (forbidden by its Baseline); capabilities(7), for those with which
root in a container is root on the host. NET_ADMIN, IPC_LOCK and similar ones stay within the pod's own namespaces,
and GPU fabrics need them.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from typing import Any, Final

from gpucluster.policies.clouds.kubernetes.containers import CONTAINER_LISTS, ONE_CONTAINER
from gpucluster.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.program.values import at, flag, is_list, is_object, items, text

_NAMESPACES: Final = ("hostPID", "hostIPC", "hostNetwork")
_CAPABILITIES: Final = (
    "ALL",
    "BPF",
    "DAC_READ_SEARCH",
    "MAC_ADMIN",
    "MAC_OVERRIDE",
    "SYS_ADMIN",
    "SYS_BOOT",
    "SYS_MODULE",
    "SYS_RAWIO",
)
_FOLDERS: Final = (
    *("/", "/bin", "/boot", "/dev", "/etc", "/home", "/lib", "/lib64", "/proc", "/root", "/run", "/sbin", "/usr"),
    *("/var", "/var/lib", "/var/run"),
)
"""Folders of a host with other pods' data, its keys or its programs; not /sys, devices and data folders."""
_BELOW: Final = ("/etc/kubernetes", "/root", "/var/lib/kubelet", "/var/lib/containerd", "/var/lib/docker")

# Paths to the containers of a built-in workload.
_WAY: Final = ("spec", "template", "jobTemplate")
_WORKLOADS: Final = (
    "Pod",
    "PodTemplate",
    "Deployment",
    "DaemonSet",
    "StatefulSet",
    "ReplicaSet",
    "ReplicationController",
    "Job",
    "CronJob",
)


def privileges(resource: Resource) -> list[str] | Unknown:
    """Its requests in words; UNKNOWN if none is visible, but part of a built-in workload is not yet known."""
    found = list(_asked(resource.inputs, ""))
    names = [f"`{name}`" for name, what in found if what == "privileged"]
    words = [f"privileged container{'s' if len(names) > 1 else ''} {', '.join(names)}"] if names else []
    words += [f"{what}{f' of `{name}`' if name else ''}" for name, what in found if what != "privileged"]
    if words or resource.type.rpartition(":")[2] not in _WORKLOADS:
        return list(dict.fromkeys(words))
    return UNKNOWN if _hidden(resource.inputs) else []


def _asked(value: object, name: str) -> Iterator[tuple[str, str]]:
    """(container, or `values` of a chart; its request) below a value."""
    if is_list(value):
        for inner in value:
            yield from _asked(inner, name)
    elif is_object(value):
        own = text(value, "name")
        for key, inner in sorted(value.items()):  # the engine's message has no order
            if key.lower().endswith("securitycontext"):
                label = own if isinstance(own, str) else name
                yield from ((label, what) for what in _in_context(inner))
            elif key in _NAMESPACES and flag(value, key) is True:
                yield "", key
            elif key == "hostPath" and (path := _of_machine(inner)):
                yield "", f"hostPath {path}"
            else:
                of = own if key in ONE_CONTAINER and isinstance(own, str) else name
                yield from _asked(inner, of or ("values" if key == "values" else ""))


def _in_context(context: object) -> Iterator[str]:
    if flag(context, "privileged") is True:
        yield "privileged"
    added = items(context, "capabilities", "add")
    given = [str(each).upper().removeprefix("CAP_") for each in (added if added is not UNKNOWN else ())]
    if wide := [each for each in given if each in _CAPABILITIES]:
        yield f"{'capability' if len(wide) == 1 else 'capabilities'} {', '.join(wide)}"
    if text(context, "procMount") == "Unmasked":
        yield "procMount Unmasked"
    if flag(context, "windowsOptions", "hostProcess") is True:
        yield "hostProcess"


def _of_machine(volume: object) -> str | None:
    """The host folder that a volume mounts, if it contains other pods' data or the host's own."""
    given = text(volume, "path") if is_object(volume) else volume
    path = posixpath.normpath("/" + given.lstrip("/")) if isinstance(given, str) else ""
    below = any(path == folder or path.startswith(f"{folder}/") for folder in _BELOW)
    return path if path in _FOLDERS or below or path.endswith(".sock") else None


def _hidden(value: Mapping[str, Any]) -> bool:
    """Whether a container's privileges, or a value on the path to them, are unknown before the update."""
    if any(flag(value, key) is UNKNOWN for key in _NAMESPACES):
        return True
    for key in (*_WAY, *CONTAINER_LISTS):
        inner = at(value, key)
        if inner is UNKNOWN:
            return True
        if is_object(inner) and _hidden(inner):
            return True
        if is_list(inner) and any(_hides(container) for container in inner):
            return True
    return False


def _hides(container: object) -> bool:
    ways = (("privileged",), ("capabilities", "add"))
    return any(at(container, "securityContext", *way) is UNKNOWN for way in ways)
