"""Rights for the types of a plan, as each cloud takes them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Protocol, cast

from gpucluster.account.rights.table import Rights
from gpucluster.catalog.clouds import clouds
from gpucluster.program.resources import Resources
from gpucluster.record import record


class _Cloud(Protocol):
    """PACKAGE: what the types of its provider begin with."""

    PACKAGE: str

    def rights_of(self, type_: str, /) -> Rights | None: ...

    def document(self, types: Mapping[str, Rights], plan: Resources, /) -> Any: ...


@record(kw_only=True)
class Documents:
    """clouds: by name, what each takes. unknown: types of a cloud whose rights no source that was read tells."""

    clouds: Mapping[str, Any]
    unknown: tuple[str, ...]


def documents_of(plan: Resources) -> Documents:
    """The rights to make, read, change and delete what a plan has."""
    documents: dict[str, Any] = {}
    unknown: list[str] = []
    for name in clouds():
        cloud = cast(_Cloud, importlib.import_module(f"gpucluster.account.rights.{name}"))
        types = sorted({one.type for one in plan if one.custom and one.type.partition(":")[0] == cloud.PACKAGE})
        rights = {type_: cloud.rights_of(type_) for type_ in types}
        known = {type_: found for type_, found in rights.items() if found is not None}
        unknown += [type_ for type_ in types if type_ not in known]
        if known:
            documents[name] = cloud.document(known, plan)
    return Documents(clouds=documents, unknown=tuple(unknown))
