"""Permissions in IAM's form: policies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from gpucluster.core.program.resources import Resources
from gpucluster.operate.account.rights.command import Rights, rights_in

PACKAGE: Final = "aws"

# Characters of a managed policy, without white space. Source: IAM user guide, "IAM and AWS STS quotas".
_LONGEST: Final = 6_144


def rights_of(type_: str) -> Rights | None:
    """Actions; None if no known source lists them."""
    return rights_in("aws").get(type_)


def document(types: Mapping[str, Rights], plan: Resources) -> list[dict[str, Any]]:
    """IAM policies, each up to the maximum length of a managed one; all of them belong to one role."""
    del plan
    actions = sorted({action for rights in types.values() for action in rights})
    statements = [
        {"Sid": service.replace("-", ""), "Effect": "Allow", "Action": list(named), "Resource": "*"}
        for service, named in groupby(actions, key=lambda action: action.partition(":")[0])
    ]
    policies: list[dict[str, Any]] = []
    for statement in statements:
        if not policies or _length([*policies[-1]["Statement"], statement]) > _LONGEST:
            policies.append({"Version": "2012-10-17", "Statement": []})
        policies[-1]["Statement"].append(statement)
    return policies


def _length(statements: Sequence[object]) -> int:
    return len(json.dumps({"Version": "2012-10-17", "Statement": statements}, separators=(",", ":")))
