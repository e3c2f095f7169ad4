"""The API server of a kubeconfig."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from gpucluster.sandbox.type_guards import is_object, items, mapping


def api_server(config: Mapping[str, Any]) -> str | None:
    """The server URL of a provider's settings; None if its kubeconfig has none.

    config: the provider's settings; `kubeconfig` as YAML or JSON text or as an object, `context` and `cluster` override
    the kubeconfig.
    """
    document = config.get("kubeconfig")
    if isinstance(document, str):
        try:
            document = yaml.safe_load(document)
        except yaml.YAMLError:
            return None
    if not is_object(document):
        return None
    contexts = _named(document, "contexts", "context")
    context = contexts.get(config.get("context") or document.get("current-context"), {})
    cluster = _named(document, "clusters", "cluster").get(config.get("cluster") or context.get("cluster"), {})
    server = cluster.get("server")
    return server if isinstance(server, str) else None


def _named(document: Mapping[str, Any], plural: str, singular: str) -> dict[Any, Mapping[str, Any]]:
    found = (mapping(item) for item in items(document.get(plural)))
    return {item.get("name"): mapping(item.get(singular)) for item in found}
