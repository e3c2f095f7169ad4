"""Text that is certainly a secret, by the form that its maker gives it.

Sources: RFC 7468 for private keys; IAM user guide, "IAM identifiers" (prefixes AKIA, ASIA); GitHub documentation,
"About authentication" (prefixes of tokens); Kubernetes client-go, `tools/clientcmd/api/v1` (client-key-data); Hugging
Face documentation, "User access tokens" (hf_).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, cast

from gpucluster.policies.clouds.kubernetes.containers import containers
from gpucluster.program.resources import Resource
from gpucluster.program.values import at, items, text

__all__ = ["READ_BY_ALL", "places_of_secrets", "secrets_in"]

_KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "a private key": re.compile(r"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----"),
    "an AWS access key": re.compile(r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    "a GitHub token": re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}"),
    "a Hugging Face token": re.compile(r"\bhf_[A-Za-z0-9]{34}\b"),
    "the key of a Kubernetes user": re.compile(r"client-key-data\"?:\s*\"?[A-Za-z0-9+/=]{40}"),
}

_START_SCRIPTS: Final = {
    "aws:ec2/launchTemplate:LaunchTemplate": (("userData",),),
    "aws:ec2/instance:Instance": (("userData",), ("userDataBase64",)),
    "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass": (("spec", "userData"),),
}
_MAP: Final = "kubernetes:core/v1:ConfigMap"

READ_BY_ALL: Final = f"{', '.join(_START_SCRIPTS)}, {_MAP}, and the environment of containers"


def secrets_in(value: object) -> Iterator[str]:
    """What kinds of secrets a value holds, at any depth."""
    if isinstance(value, str):
        yield from (kind for kind, form in _KINDS.items() if form.search(value))
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, object]", value).values():
            yield from secrets_in(inner)
    elif isinstance(value, Sequence):
        for inner in cast("Sequence[object]", value):
            yield from secrets_in(inner)


def places_of_secrets(resource: Resource) -> Iterator[tuple[str, str]]:
    """(where, which kind) in the inputs of a resource that others read, marked as a secret or not."""
    if resource.type in _START_SCRIPTS:
        for way in _START_SCRIPTS[resource.type]:
            script = text(resource.inputs, *way)
            for kind in secrets_in(_decoded(script) if isinstance(script, str) else None):
                yield f"`{way[-1]}`", kind
    elif resource.type == _MAP:
        for kind in secrets_in(at(resource.inputs, "data")):
            yield "`data`", kind
    elif resource.type.startswith("kubernetes:"):
        for name, container in containers(resource.inputs):
            given = items(container, "env")
            for variable in given if isinstance(given, list) else ():
                for kind in secrets_in(at(variable, "value")):
                    yield f"the environment of container `{name}`", kind


def _decoded(script: str) -> str:
    """A start script as written, and as it reads where it is base64."""
    try:
        return f"{script}\n{base64.b64decode(script, validate=True).decode()}"
    except (binascii.Error, UnicodeDecodeError):
        return script
