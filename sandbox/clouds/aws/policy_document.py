"""`getPolicyDocument`: it needs no account, so its answer is the provider's own.

Source: hashicorp/terraform-provider-aws@084fd7bc internal/service/iam/policy_model.go: one value is a text, several are
a list in descending order; statements with the same id replace each other.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from typing import Any, Final

from gpucluster.sandbox.type_guards import items, mapping

_LATEST: Final = "2012-10-17"
_VARIABLE: Final = ("&{", "${")


def policy_document(args: Mapping[str, Any]) -> dict[str, Any]:
    """The outputs of the data source."""
    sources = [*items(args.get("sourcePolicyDocuments")), *_given(args.get("sourceJson"))]
    overrides = [*items(args.get("overridePolicyDocuments")), *_given(args.get("overrideJson"))]
    own = {
        "Version": args.get("version") or _LATEST,
        "Id": args.get("policyId"),
        "Statement": [_statement(mapping(statement)) for statement in items(args.get("statements"))],
    }
    merged: dict[str, Any] = {}
    for document in (*map(json.loads, sources), own, *map(json.loads, overrides)):
        _merge(merged, document)
    text = json.dumps(merged, indent=2)
    return {
        **args,
        "id": str(zlib.crc32(text.encode())),
        "json": text,
        "minifiedJson": json.dumps(merged, separators=(",", ":")),
    }


def _given(value: Any) -> list[Any]:
    return [value] if value else []


def _merge(into: dict[str, Any], document: Mapping[str, Any]) -> None:
    version, id_ = str(document.get("Version") or ""), document.get("Id")
    if version > str(into.get("Version") or ""):
        into["Version"] = version
    if id_:
        into["Id"] = id_
    found: list[Any] = into.setdefault("Statement", [])
    statements = document.get("Statement")
    for statement in items(statements) or _given(statements):
        sid = mapping(statement).get("Sid")
        at = next((at for at, other in enumerate(found) if sid and other.get("Sid") == sid), None)
        if at is None:
            found.append(statement)
        else:
            found[at] = statement


def _statement(given: Mapping[str, Any]) -> dict[str, Any]:
    made = {
        "Sid": given.get("sid"),
        "Effect": given.get("effect") or "Allow",
        "Action": _values(given.get("actions")),
        "NotAction": _values(given.get("notActions")),
        "Resource": _values(given.get("resources")),
        "NotResource": _values(given.get("notResources")),
        "Principal": _principals(items(given.get("principals"))),
        "NotPrincipal": _principals(items(given.get("notPrincipals"))),
        "Condition": _conditions(items(given.get("conditions"))),
    }
    return {name: value for name, value in made.items() if value}


def _values(given: Any) -> Any:
    found = sorted({str(value).replace(*_VARIABLE) for value in items(given)}, reverse=True)
    return found[0] if len(found) == 1 else found


def _principals(given: Iterable[Any]) -> Any:
    found: dict[str, list[str]] = {}
    for principal in given:
        values = sorted({str(value).replace(*_VARIABLE) for value in items(principal.get("identifiers"))}, reverse=True)
        found.setdefault(str(principal["type"]), []).extend(values)
    if found == {"*": ["*"]}:
        return "*"
    return {kind: values[0] if len(values) == 1 else values for kind, values in sorted(found.items())}


def _conditions(given: Iterable[Any]) -> dict[str, Any]:
    found: dict[str, dict[str, list[str]]] = {}
    for condition in given:
        values = [str(value).replace(*_VARIABLE) for value in items(condition.get("values"))]
        found.setdefault(str(condition["test"]), {}).setdefault(str(condition["variable"]), []).extend(values)
    return {
        test: {name: values[0] if len(values) == 1 else values for name, values in sorted(variables.items())}
        for test, variables in sorted(found.items())
    }
