"""No container has full access to its host, except those that prepare a GPU node.

Read are pods in every kind that contains one, and the values of charts, also as text in an Application of Argo CD.
Source: Kubernetes page "Pod Security Standards", Baseline. It allows no folder of the host; this rule allows those with
data and devices, and some that containers mount read-only. It allows the capabilities of Baseline, and those of GPU
fabrics and MPI, which stay within the pod's own namespaces.

`gpucluster/core/catalog/node_daemons.csv` and the pack's configuration list those that prepare a GPU node. They match
by kind, namespace, name and the source of each image, as anybody can use a name. The charts of the NVIDIA and EFA
device plugins and of NVIDIA's operators are rendered inside the cluster, where no policy sees their pods; a chart is
matched by its values, and by its source and that of its image.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gpucluster.core.catalog.tables import rows
from gpucluster.core.program.resources import UNKNOWN, Resource, Unknown
from gpucluster.core.program.values import at, flag, is_list, is_object, items, known_items, text
from gpucluster.core.text.yaml_text import BadYaml, parse
from gpucluster.policies.clouds.kubernetes.charts import RELEASE
from gpucluster.policies.clouds.kubernetes.objects import CONTAINER_LISTS, ONE_CONTAINER, containers, unrendered
from gpucluster.policies.engine.rule import (
    Accepted,
    CannotTell,
    Enforcement,
    Finding,
    Severity,
    Stack,
    StackRule,
    Violation,
)


def check(stack: Stack) -> Iterator[Finding]:
    yield from unrendered(stack.resources)
    allowed = _allowed_daemons(stack.config.get("allowed"))
    data = (*_DATA, *map(str, stack.config.get("folders") or ()))
    for resource in stack.resources:
        if not resource.custom or not resource.type.startswith("kubernetes:"):
            continue
        asked = _privileges(resource, data)
        by_name = allowed.get(_identity(resource) or "")
        if asked is UNKNOWN:
            if by_name is None:
                yield CannotTell(resource, "whether its containers are privileged is not known yet")
        elif asked:
            yield _judged(resource, "; ".join(asked), by_name)
        elif resource.type == RELEASE and resource.inputs.get("valueYamlFiles") not in (None, []) and by_name is None:
            yield CannotTell(
                resource, "whether the values in the files of `valueYamlFiles` are privileged is not known"
            )


def _judged(resource: Resource, what: str, by_name: _Allowed | None) -> Finding:
    """A name is not enough to accept anything: anybody who can declare an object can choose its name."""
    if by_name is None:
        return Violation(resource, what)
    images = _images(resource)
    foreign = [image for image in images if image is not UNKNOWN and image not in by_name.images]
    if foreign:
        return Violation(
            resource, f"{what}; allowed by name, but not with an image from {', '.join(dict.fromkeys(foreign))}"
        )
    if UNKNOWN in images:
        return CannotTell(resource, f"{what}; allowed by name, with an image that is not known yet")
    return Accepted(resource, what, by_name.reason)


_NAMESPACES: Final = ("hostPID", "hostIPC", "hostNetwork")
_BASELINE: Final = (
    *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD", "NET_BIND_SERVICE", "SETFCAP"),
    *("SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
)
_FABRIC: Final = ("IPC_LOCK", "NET_ADMIN", "NET_RAW", "SYS_NICE", "SYS_RESOURCE")
_DATA: Final = (
    *("/data", "/ephemeral", "/fsx", "/local", "/lustre", "/mnt", "/nvme", "/raid", "/scratch", "/shared"),
    *("/dev/aperture_devices", "/dev/hugepages", "/dev/infiniband", "/dev/shm"),
    *("/home/kubernetes/bin/gib", "/home/kubernetes/bin/nvidia"),  # GKE's driver and NCCL plugin
    "/var/lib/pod-logs",  # positions in the logs, of Fluent Bit of these clusters
)
"""Folders of a host with data and devices, with all below them."""
_READABLE: Final = (
    *("/etc/localtime", "/etc/machine-id", "/etc/os-release", "/etc/pki", "/etc/ssl", "/home/kubernetes/bin"),
    *("/lib/modules", "/proc/sys", "/sys", "/usr/share", "/var/log"),
)
"""Folders of a host without keys or data of other pods, as long as no container writes there."""
_GOOGLE: Final = "us-docker.pkg.dev/gce-ai-infra/"
"""Google's own registry of its GPU fabrics, whose daemon tunes the kernel through /sys and /proc/sys."""

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


def _privileges(resource: Resource, data: Sequence[str]) -> list[str] | Unknown:
    """Its requests as text; UNKNOWN if none is visible, but part of a built-in workload is not yet known.

    data: folders of a host that any container may mount.
    """
    found = list(_requests(resource.inputs, "", data))
    names = [f"`{name}`" for name, what in found if what == "privileged"]
    words = [f"privileged container{'s' if len(names) > 1 else ''} {', '.join(names)}"] if names else []
    words += [f"{what}{f' of `{name}`' if name else ''}" for name, what in found if what != "privileged"]
    if words or resource.type.rpartition(":")[2] not in _WORKLOADS:
        return list(dict.fromkeys(words))
    return UNKNOWN if _hidden(resource.inputs) else []


def _requests(value: object, name: str, data: Sequence[str]) -> Iterator[tuple[str, str]]:
    """(container, or `values` of a chart; its request) below a value."""
    if is_list(value):
        for inner in value:
            yield from _requests(inner, name, data)
    elif is_object(value):
        own = text(value, "name")
        if "volumes" in value:
            data = (*data, *_unwritten(value))
        for key, inner in sorted(value.items()):  # the engine's message has no order
            if key.lower().endswith("securitycontext"):
                label = own if isinstance(own, str) else name
                yield from ((label, what) for what in _in_context(inner))
            elif key in _NAMESPACES and flag(value, key) is True:
                yield "", key
            elif (key == "hostPath" or (key == "local" and "capacity" in value)) and (path := _of_machine(inner, data)):
                yield "", f"{key} {path}"
            elif name == _VALUES and key == "privileged" and flag(value, key) is True:
                yield name, "privileged"
            elif key == _VALUES and isinstance(inner, str):
                yield from _requests(_of_text(inner), _VALUES, data)
            else:
                of = own if key in ONE_CONTAINER and isinstance(own, str) else name
                yield from _requests(inner, of or (_VALUES if key in (_VALUES, "valuesObject") else ""), data)


_VALUES: Final = "values"


def _of_text(values: str) -> object:
    """Values of a chart that an object has as text; a text that is not YAML has none."""
    try:
        return parse(values).data
    except BadYaml:
        return None


def _unwritten(pod: Mapping[str, Any]) -> Iterator[str]:
    """The readable folders of a host that no container of a pod mounts for writing, except Google's daemon."""
    written = {
        text(mount, "name")
        for _, container in containers(pod)
        if not str(text(container, "image")).startswith(_GOOGLE)
        for mount in known_items(container, "volumeMounts")
        if flag(mount, "readOnly") is not True
    }
    paths = [(_normal(text(one, "hostPath", "path")), text(one, "name")) for one in known_items(pod, "volumes")]
    changed = [path for path, name in paths if path and name in written]
    for path, name in paths:
        if name not in written and _within(path, _READABLE) and not any(_within(other, [path]) for other in changed):
            yield path


def _in_context(context: object) -> Iterator[str]:
    if flag(context, "privileged") is True:
        yield "privileged"
    added = items(context, "capabilities", "add")
    given = [str(each).upper().removeprefix("CAP_") for each in (added if added is not UNKNOWN else ())]
    if wide := [each for each in given if each not in (*_BASELINE, *_FABRIC, str(UNKNOWN).upper())]:
        yield f"{'capability' if len(wide) == 1 else 'capabilities'} {', '.join(wide)}"
    if text(context, "procMount") == "Unmasked":
        yield "procMount Unmasked"
    for profile, kind in (("seccompProfile", "seccomp"), ("appArmorProfile", "AppArmor")):
        if text(context, profile, "type") == "Unconfined":
            yield f"{kind} Unconfined"
    if flag(context, "windowsOptions", "hostProcess") is True:
        yield "hostProcess"


def _of_machine(volume: object, data: Sequence[str]) -> str | None:
    """The host folder that a volume mounts, None if it has data or devices alone."""
    path = _normal(text(volume, "path") if is_object(volume) else volume)
    return None if not path or (_within(path, data) and not path.endswith(".sock")) else path


def _normal(path: object) -> str:
    return posixpath.normpath("/" + path.lstrip("/")) if isinstance(path, str) else ""


def _within(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


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


@dataclass(frozen=True, kw_only=True)
class _Allowed:
    """images: repositories, without tag and digest; for a chart, its own as well. reason: why access is allowed."""

    images: tuple[str, ...]
    reason: str


def _allowed_daemons(configured: Any) -> dict[str, _Allowed]:
    """The allowed ones, by `identity`. configured: the rule's setting in the pack's configuration."""
    known = {
        row["object"]: _Allowed(images=tuple(row["images"].split()), reason=row["reason"])
        for row in rows("node_daemons")
    }
    given: Mapping[str, Any] = configured if is_object(configured) else {}
    for name, of in given.items():
        images = items(of, "images")
        if images is not UNKNOWN:
            known[name] = _Allowed(images=tuple(map(str, images)), reason=str(at(of, "reason")))
    return known


def _identity(resource: Resource) -> str | None:
    """`kind namespace/name` of an object, `Release chart` of a chart; None while unknown."""
    if resource.type == RELEASE:
        chart = text(resource.inputs, "chart")
        return f"Release {chart.rpartition('/')[2]}" if isinstance(chart, str) else None
    name = text(resource.inputs, "metadata", "name")
    namespace = text(resource.inputs, "metadata", "namespace")
    if not isinstance(name, str) or namespace is UNKNOWN:
        return None
    return f"{resource.type.rpartition(':')[2]} {namespace or 'default'}/{name}"


def _images(resource: Resource) -> list[str | Unknown]:
    """The repositories of all its images, without tag and digest."""
    if resource.type == RELEASE:
        ways = (("repositoryOpts", "repo"), ("values", "image", "repository"))
        given = [found for way in ways if (found := text(resource.inputs, *way)) is not None]
        return given or ["no repository"]
    images = [text(container, "image") for _, container in containers(resource.inputs)]
    return [UNKNOWN if image is UNKNOWN else _repository(image or "no image") for image in images]


def _repository(image: str) -> str:
    name = image.partition("@")[0]
    host, slash, path = name.rpartition("/")
    return f"{host}{slash}{path.partition(':')[0]}"


RULE: Final = StackRule(
    name="no-privileged-containers",
    title="No privileged containers except those that prepare GPU nodes",
    why="A privileged container, or one with access to the machine's processes, files or kernel, is root on the "
    "machine: one compromised image reads every job's data and credentials there, and the labels and limits of its "
    "namespace do not contain it.",
    fix="Remove securityContext.privileged, the capabilities, host namespaces and hostPath, and request the devices "
    "it needs; mount only folders with data, and others read-only; list a daemon that needs them in the rule's setting "
    "`allowed`, with the repositories of its images, or "
    "in an exemption with an end date.",
    reads="pods in every Kubernetes object that the program declares, and the values of charts; not objects that a "
    "chart renders in the cluster",
    severity=Severity.HIGH,
    enforcement=Enforcement.MANDATORY,
    order=140,
    check=check,
    config={
        "allowed": {
            "type": "object",
            "description": "`kind namespace/name` of further objects that may be privileged, with the reason and the "
            "repositories of all their images, without tags, e.g. "
            '{"DaemonSet monitoring/node-agent": {"reason": "reads performance counters", "images": '
            '["registry.example.com/node-agent"]}}',
            "additionalProperties": {"type": "object", "required": ["reason", "images"]},
        },
        "folders": {
            "type": "array",
            "description": 'Further folders of machines with data alone, which pods may mount, e.g. ["/weka"]',
            "items": {"type": "string", "pattern": "/.+", "examples": ["/weka"]},
        },
    },
)
