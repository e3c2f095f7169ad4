"""The rules of a state without which the engine refuses it, as a bug of its own.

Source: pulumi/pulumi pkg/resource/deploy/snapshot.go, VerifyIntegrity (v3.250.0). Not checked: snippets, which no state
of the sandbox has.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from gpucluster.sandbox.type_guards import items, mapping

_PROVIDERS: Final = "pulumi:providers:"
_UNKNOWN: Final = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""The engine's id of a provider without one."""


def breach(deployment: Mapping[str, Any]) -> str:
    """The first rule that a deployment breaks, as the end of a sentence about it; empty if it breaks none."""
    manifest = mapping(deployment.get("manifest"))
    version = str(manifest.get("version") or "")
    if (manifest.get("magic") or "") != (hashlib.sha256(version.encode()).hexdigest() if version else ""):
        return "has a manifest whose checksum is wrong"
    resources = items(deployment.get("resources"))
    return next(_breaches(resources), "")


def _breaches(resources: Sequence[Any]) -> Iterator[str]:
    seen, current, providers = set[str](), set[str](), set[str]()
    for at, resource in enumerate(map(mapping, resources)):
        urn, kind = str(resource.get("urn") or ""), str(resource.get("type") or "")
        if not urn or not kind:
            yield f"holds a resource without URN or type, at index {at}"
            continue
        if not resource.get("custom") and resource.get("id"):
            yield f"gives {urn}, which is no custom resource, an id"
        if _is_provider(kind):
            if not _names_a_provider(urn):
                yield f"holds the provider {urn}, whose URN is not that of a provider"
            providers.add(f"{urn}::{resource.get('id') or _UNKNOWN}")
        if not resource.get("delete"):
            if urn in current:
                yield f"holds {urn} twice"
            current.add(urn)
        provider = str(resource.get("provider") or "")
        if provider and not _names_a_provider(provider.rpartition("::")[0]):
            yield f"gives {urn} the provider {provider}, which is not one"
        if provider and provider not in providers and not resource.get("pendingReplacement"):
            yield f"lacks the provider {provider} of {urn}"
        for role, needed in _needs(resource):
            if needed not in seen:
                after = any(mapping(other).get("urn") == needed for other in resources[at:])
                yield f"holds {urn} before its {role} {needed}" if after else f"lacks {needed}, the {role} of {urn}"
        seen.add(urn)


def _needs(resource: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What must come before a resource, and what it is to it."""
    found = {
        "parent": [resource.get("parent")],
        "dependency": [
            *items(resource.get("dependencies")),
            *(urn for urns in mapping(resource.get("propertyDependencies")).values() for urn in items(urns)),
        ],
        "companion in deletion": [resource.get("deletedWith")],
        "companion in replacement": items(resource.get("replaceWith")),
    }
    return ((role, str(urn)) for role, urns in found.items() for urn in urns if urn)


def _is_provider(kind: str) -> bool:
    return kind.startswith(_PROVIDERS) and kind != _PROVIDERS


def _names_a_provider(urn: str) -> bool:
    parts = urn.split("::")
    return urn.startswith("urn:pulumi:") and len(parts) > 3 and _is_provider(parts[2].rpartition("$")[2])
