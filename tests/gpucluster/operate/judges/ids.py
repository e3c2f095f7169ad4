"""The forms of ids, as documents give them.

AWS and Google Cloud: the ids that the SDK's documentation imports, which is that of their Terraform providers; Google's
discovery documents for types that it imports by a shorter name. Azure: the ids that azurerm imports, in
`ids_azure.csv`, since azure-native's SDK names none.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gpucluster.operate.judges.gcp.judge import TYPES as DISCOVERED

__all__ = ["OTHERWISE", "has_form", "known"]

_NAME: Final = "[A-Za-z0-9_.%@-]+"
_SLASHED: Final = f"/?{_NAME}(/{_NAME})*"
"""Names at AWS may have slashes."""

OTHERWISE: Final = frozenset(
    {
        "aws:cloudwatch/eventRule:EventRule",
        "aws:cloudwatch/eventTarget:EventTarget",
        "aws:ec2/route:Route",
        "aws:ec2/routeTableAssociation:RouteTableAssociation",
        "aws:eks/podIdentityAssociation:PodIdentityAssociation",
        "gcp:compute/routerNat:RouterNat",
        "gcp:servicenetworking/connection:Connection",
        "gcp:storage/bucket:Bucket",
    }
)
"""Types whose provider takes another text for an import than it keeps as the id."""

_PARTS: Final = (
    # Of a text that a document gives as an example: what it begins with -> what its like have.
    # The name of a topic follows the account, without a word for its kind.
    (r"arn:aws:sns:[a-z0-9-]*:\w*:[\w-]+", r"arn:aws[a-z-]*:sns:[a-z0-9-]*:\\d{12}:[\\w-]+"),
    (r"arn:aws:([a-z]+):[a-z0-9-]*:\w*:([a-z]*)", r"arn:aws[a-z-]*:\1:[a-z0-9-]*:(\\d{12}|aws)?:\2"),
    (r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    (r"\b(cr|dra|eipalloc|fl|fs|fsmt|igw|lt|nat|rtb|sg|sgr|subnet|vpc|vpce)-[0-9a-fA-F]{8,}", r"\1-[0-9a-f]{8,17}"),
    (r"\ba-[a-z0-9]{17}\b", "a-[a-z0-9]{17}"),
    (r"\d+(\.\d+){3}/\d+", r"\\d+(\\.\\d+){3}/\\d+"),
)


def known(type_: str) -> Sequence[str]:
    """Expressions that the ids of a type have one of; none where no document tells."""
    return tuple(_known(type_))


def has_form(type_: str, id_: str) -> bool:
    return any(re.fullmatch(pattern, id_) for pattern in known(type_))


def _known(type_: str) -> Iterator[str]:
    match type_.partition(":")[0]:
        case _ if type_ in OTHERWISE:
            return
        case "aws":
            yield from map(_of_example, _imported(type_))
        case "gcp":
            whole = [text for text in _imported(type_) if text.startswith(("projects/", "{{key_ring}}"))]
            yield from (_of_template(text) for text in whole or _imported(type_))
            yield from (_of_template(text) for text in _discovered(type_))
        case _:
            yield from (_of_arm(row["id"]) for row in _azure() if row["type"] == type_)


@cache
def _imported(type_: str) -> Sequence[str]:
    """What `pulumi import` is given in the documentation of a type."""
    package, module, _ = type_.split(":")
    spec = find_spec(f"pulumi_{package}")
    assert spec is not None
    assert spec.origin is not None
    for file in sorted((Path(spec.origin).parent / module.split("/")[0]).glob("*.py")):
        found = re.findall(rf"pulumi import {re.escape(type_)} \S+ \"?([^\"\n]+)", file.read_text(encoding="utf-8"))
        if found:
            return sorted({*found})
    return ()


def _discovered(type_: str) -> Iterator[str]:
    """The paths by which Google's methods get what has the schema of a type."""
    if type_ not in DISCOVERED:
        return
    shape = DISCOVERED[type_]
    file = files("googleapiclient.discovery_cache.documents").joinpath(f"{shape.document}.json")
    yield from _paths(json.loads(file.read_text(encoding="utf-8")).get("resources", {}), shape.schema.split(".")[0])


def _paths(resources: Any, schema: str) -> Iterator[str]:
    for resource in resources.values():
        got = resource.get("methods", {}).get("get", {})
        if got.get("response", {}).get("$ref") == schema:
            path = str(got.get("flatPath") or got["path"])
            yield re.sub(r"\{(\w+)\}", r"{{\1}}", re.sub(r"^(v\d\w*|compute/\w+)/", "", path))
        yield from _paths(resource.get("resources", {}), schema)


def _of_template(text: str) -> str:
    text = text.replace("{{key_ring}}", f"projects/{_NAME}/locations/{_NAME}/keyRings/{_NAME}")
    return re.sub(r"\{\{[\w-]+\}\}", _NAME, text)


def _of_example(text: str) -> str:
    """The expression of an example: what AWS gives keeps its form, and every other word is a name."""
    found, at = "", 0
    whole = re.compile("|".join(f"(?P<p{number}>{pattern})" for number, (pattern, _) in enumerate(_PARTS)))
    for match in whole.finditer(text):
        found += _of_names(text[at : match.start()])
        number = int(str(match.lastgroup)[1:])
        found += re.sub(_PARTS[number][0], _PARTS[number][1], match[0])
        at = match.end()
    return found + _of_names(text[at:])


def _of_names(text: str) -> str:
    return re.sub(r"[\w.-]+(/[\w.-]+)*", lambda _: _SLASHED, text)


def _of_arm(text: str) -> str:
    """The names of providers and types stay, in this case, but for AKS' `resourcegroups`; what comes before may be any
    scope."""
    scope, _, rest = text.rpartition("/providers/")
    group = f"/subscriptions/{_NAME}/resource[gG]roups/{_NAME}"
    if not scope:
        return group
    namespace, *segments = rest.split("/")
    tail = "/".join(segment if at % 2 == 0 else _NAME for at, segment in enumerate(segments))
    before = group if "resourceGroups" in scope else "/subscriptions/.+"
    return f"{before}(/providers/.+)?/providers/{namespace}/{tail}"


@cache
def _azure() -> Sequence[dict[str, str]]:
    return list(csv.DictReader(Path(__file__).with_name("ids_azure.csv").read_text(encoding="utf-8").splitlines()))
