"""Lists protected resources that a `destroy` keeps, and the commands to release them."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from typing import Any

from gpucluster.sandbox.project import Project
from gpucluster.sandbox.type_guards import is_object, items, mapping
from gpucluster.sandbox.urns import urn_name


def what_is_kept(project: Project, stack: str) -> str:
    """The message after a destroy of a stack; empty if its state has no protected resources."""
    return kept(_resources(project, stack), stack)


def kept(resources: list[Mapping[str, Any]], stack: str) -> str:
    """The protected resources, those kept as their dependencies, and the commands that release them.

    resources: those of the stack's state, as Pulumi writes them.
    """
    real = [item for item in resources if item.get("custom") and not str(item["type"]).startswith("pulumi:")]
    protected = [item for item in real if item.get("protect")]
    if not protected:
        return ""
    lines = ["Kept, because it is protected:"]
    lines += [f"  {urn_name(str(item['urn']))}  {item['type']}  {item.get('id', '')}" for item in protected]
    others = Counter(str(item["type"]) for item in real if not item.get("protect"))
    if others:
        counted = ", ".join(f"{count} x {kind}" if count > 1 else kind for kind, count in sorted(others.items()))
        lines.append(f"Also not deleted: resources that the protected ones depend on: {counted}")
    lines.append("Kept resources are still billed. To release them, then destroy again:")
    lines += [
        f"  gpucluster sandbox pulumi state unprotect --yes --stack {stack} '{item['urn']}'" for item in protected
    ]
    return "\n".join(lines)


def _resources(project: Project, stack: str) -> list[Mapping[str, Any]]:
    folder = project.store.states(project.name)
    plain, packed = folder / f"{stack}.json", folder / f"{stack}.json.gz"
    if plain.is_file():
        text = plain.read_bytes()
    elif packed.is_file():
        text = gzip.decompress(packed.read_bytes())
    else:
        return []
    latest = mapping(mapping(mapping(json.loads(text)).get("checkpoint")).get("latest"))
    return [item for item in items(latest.get("resources")) if is_object(item)]
