"""JSON Schema of a spec, which editors use to complete and check it."""

from __future__ import annotations

import json

from gpucluster.components.spec.cluster import StackSpec
from gpucluster.components.spec.model import model_schema


def spec_schema() -> str:
    """JSON Schema (draft 2020-12) of a spec, as text. Kept in stacks/specs/schema.json, which every spec names."""
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Cluster spec"}
    schema = {
        **head,
        **model_schema(StackSpec),
        "description": "One training cluster. The same spec gives equivalent clusters on every cloud.",
    }
    return json.dumps(schema, indent=2) + "\n"
