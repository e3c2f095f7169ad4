"""Checks every Kubernetes object of a program before it is registered.

On a first preview the cluster does not exist, so no API server checks anything: without this, a mistake shows only
after the GPU nodes run and are billed. The program alone decides the fields (`objects.py`); this checks the text in
them. Values that depend on another resource are still unknown: the API server checks them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final, cast

import pulumi

from gpucluster.components.planning.planning import PlanError
from gpucluster.components.resources.label_transformation import NODE_LABELS
from gpucluster.core.catalog.labels import is_kubernetes_name, is_kubernetes_prefix
from gpucluster.core.catalog.nodes import KUBELET_DOMAINS, problem_of_node_label

_RELEASE: Final = "kubernetes:helm.sh/v3:Release"
# Fields with maps of labels, and with maps of amounts, anywhere in an object.
_LABELS: Final = frozenset({"labels", "matchLabels", "nodeSelector"})
_AMOUNTS: Final = frozenset({"capacity", "hard", "limits", "requests"})
# A plain dict matches first, which is fast.
_MAPPINGS: Final = (dict, Mapping)
# Most values of an object; they contain nothing to check.
_LEAVES: Final[Collection[type]] = {bool, float, int, str, type(None)}


def check_object(args: pulumi.ResourceTransformationArgs) -> None:
    """A transformation: on a component, it sees every resource below it.

    Raises PlanError with every problem of an object: path, value, allowed values, change to make.
    """
    problems = [f"{args.type_.rsplit(':', 1)[-1]} {args.name}: {problem}" for problem in _problems(args)]
    if problems:
        raise PlanError(problems)


def _problems(args: pulumi.ResourceTransformationArgs) -> Iterator[str]:
    props = cast(Mapping[str, Any], args.props)
    if not args.type_.startswith("kubernetes:") and args.type_ in NODE_LABELS:
        path = NODE_LABELS[args.type_]
        found: Any = props
        for step in path:
            # Arguments of node pools are objects of a cloud's SDK, or dicts.
            found = _members(found).get(step) if isinstance(found, _MAPPINGS) else getattr(found, step, None)
        yield from _labels(".".join(path), _members(found), node=True)
    elif args.type_ == _RELEASE:
        yield from _name("name", props.get("name"), 53)
        yield from _name("namespace", props.get("namespace"), 63)
        yield from _deep("values", props.get("values"))
    elif args.type_.startswith("kubernetes:"):
        metadata = _members(props.get("metadata"))
        namespace = args.type_ == "kubernetes:core/v1:Namespace"
        yield from _name("metadata.name", metadata.get("name"), 63 if namespace else 253)
        yield from _name("metadata.namespace", metadata.get("namespace"), 63)
        for key in _members(metadata.get("annotations")):
            yield from _refusal(f"metadata.annotations key {key!r}", key_problem(key))
        for field, value in props.items():
            if type(value) not in _LEAVES:
                yield from _deep(field, value)


def _deep(path: str, value: Any) -> Iterator[str]:
    """Problems of the labels and amounts in a value, at any depth."""
    if isinstance(value, list):
        for index, item in enumerate(cast(list[Any], value)):
            if type(item) not in _LEAVES:
                yield from _deep(f"{path}[{index}]", item)
        return
    members = _members(value)
    if not members:
        return
    field = path.rpartition(".")[2]
    if field in _LABELS:
        yield from _labels(path, members)
    elif field in _AMOUNTS and not any(_members(member) for member in members.values()):
        for key, amount in members.items():
            yield from _text(f"{path}.{key}", amount, quantity_problem)
    else:
        for key, member in members.items():
            if type(member) not in _LEAVES:
                yield from _deep(f"{path}.{key}", member)


def _labels(path: str, labels: Mapping[str, Any], *, node: bool = False) -> Iterator[str]:
    for key, value in labels.items():
        yield from _refusal(f"{path} key {key!r}", key_problem(key) or (node_label_problem(key) if node else None))
        yield from _text(f"{path}[{key!r}]", value, label_problem)


def _name(path: str, name: Any, longest: int) -> Iterator[str]:
    yield from _text(path, name, lambda text: name_problem(text, longest=longest))


def _text(path: str, value: Any, problem: Callable[[str], str | None]) -> Iterator[str]:
    """Nothing for missing or still unknown values."""
    if isinstance(value, str):
        yield from _refusal(f"{path} is {value!r}", problem(value))


def _refusal(what: str, allowed: str | None) -> Iterator[str]:
    if allowed is not None:
        yield f"{what}; allowed: {allowed}; change it"


def _members(value: Any) -> Mapping[str, Any]:
    """The members of a dict, none for anything else."""
    return cast(Mapping[str, Any], value) if isinstance(value, _MAPPINGS) else {}


_LABEL: Final = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_NAME: Final = rf"{_LABEL}(\.{_LABEL})*"
_QUANTITY: Final = r"[+-]?(\d+(\.\d*)?|\.\d+)([KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)?"


# Source of the following syntax: Kubernetes documentation, "Object Names and IDs"; kubernetes/apimachinery,
# pkg/util/validation and pkg/api/resource (Quantity). Each function returns the allowed syntax, None if the text is
# valid.


def name_problem(name: str, *, longest: int = 253) -> str | None:
    """longest: 253 for most kinds, 63 for a namespace (which holds no dots), 53 for a Helm release."""
    pattern = _LABEL if longest == 63 else _DNS_NAME
    if len(name) <= longest and re.fullmatch(pattern, name):
        return None
    dots = "" if longest == 63 else ", dots"
    return f"1 to {longest} lower-case letters, digits{dots} and hyphens, with a letter or digit at both ends"


def key_problem(key: str) -> str | None:
    """Key of a label, an annotation or a taint."""
    prefix, slash, word = key.rpartition("/")
    if not is_kubernetes_name(word):
        return "1 to 63 letters, digits, -, _ and ., with a letter or digit at both ends, after an optional domain/"
    if slash and not is_kubernetes_prefix(prefix):
        return "before the slash a domain of lower-case letters, digits, dots and hyphens"
    return None


def label_problem(value: str) -> str | None:
    """Value of a label or of a taint."""
    if not value or is_kubernetes_name(value):
        return None
    return "up to 63 letters, digits, -, _ and ., with a letter or digit at both ends"


def node_label_problem(key: str) -> str | None:
    """Key of a label that a kubelet gives its own node at start."""
    if problem_of_node_label(key, KUBELET_DOMAINS) is not None:
        return "a key outside the kubernetes.io and k8s.io domains, with which the kubelet does not start"
    return None


def quantity_problem(value: str) -> str | None:
    """An amount such as 500m, 8 or 20480Gi."""
    if re.fullmatch(_QUANTITY, value):
        return None
    return "a number with an optional unit: m, k, M, G, T or Ki, Mi, Gi, Ti"
