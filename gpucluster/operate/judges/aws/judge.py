"""The judge of pulumi-aws: cfn-lint, which validates the resources, converted to a template, against AWS'
CloudFormation schemas, instance types by region and the grammar of IAM policies.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from gpucluster.core.program.resources import Resource, Resources
from gpucluster.errors import Fault
from gpucluster.operate.judges.aws.template import TYPES, Declared, declared
from gpucluster.operate.judges.report import Remark, Verdict

_RUN: Final = "from cfnlint.runner import main; main()"

_ANYWHERE: Final = "us-east-1"
"""Default region if none is known."""

_IGNORED: Final = (
    "E3010",  # no more than 500 resources: a limit of templates, not of Pulumi stacks
    "E3019",  # no duplicate identifiers: here parts of a resource, such as attachments, are separate templates
    "W3010",  # no availability zones as text: a rule for templates, which may be used in several regions
)

_UNKNOWN_PROPERTY: Final = ("E3002", "Additional properties are not allowed")
"""Rule and begin of the message; other rules say the same of a property that another one excludes."""


class _CloudFormation:
    name = "aws"
    title = "AWS' CloudFormation schemas and IAM grammar (cfn-lint)"
    package = "aws"
    needs = ("cfnlint", "cfn-lint")

    def judge(self, asked: Sequence[Resource], around: Resources) -> Iterator[Verdict]:
        by_region: dict[str, list[Resource]] = {}
        for resource in asked:
            if resource.type in TYPES:
                by_region.setdefault(_region(resource, around), []).append(resource)
            else:
                yield Verdict(
                    resource=resource,
                    judge=self.name,
                    why="gpucluster/operate/judges/aws/types.csv has no row for its type",
                )
        for region, resources in by_region.items():
            yield from self._in_region(region, resources)

    def _in_region(self, region: str, resources: Sequence[Resource]) -> Iterator[Verdict]:
        """Identical resources are judged once."""
        made = [declared(resource.type, resource.inputs) for resource in resources]
        once = {_text(one): one for one in made}
        names = {text: f"R{number}" for number, text in enumerate(once)}
        found = _findings(region, {names[text]: one for text, one in once.items()})
        for resource, one in zip(resources, made, strict=True):
            yield _verdict(resource, one, found.get(names[_text(one)], ()))


JUDGE: Final = _CloudFormation()


def _region(resource: Resource, around: Resources) -> str:
    region = around.region(resource)
    return region if isinstance(region, str) and region in _regions() else _ANYWHERE


@cache
def _regions() -> frozenset[str]:
    """Regions with schemas in cfn-lint. Importing it takes seconds; its files list them as well."""
    spec = find_spec("cfnlint")
    assert spec is not None and spec.origin is not None
    folder = Path(spec.origin).parent / "data/schemas/providers"
    return frozenset(path.stem for path in folder.glob("*-*.json"))


def _text(one: Declared) -> str:
    return json.dumps([one.schema, one.properties], sort_keys=True)


def _verdict(resource: Resource, one: Declared, found: Iterable[Mapping[str, Any]]) -> Verdict:
    refusals, advice, left = [*one.broken], list[Remark](), [*one.left]
    for match in found:
        path, said = match["Location"]["Path"][3:], match["Message"]
        if one.is_later(path):
            continue
        remark = Remark(one.place_of(path), said)
        rule, begin = _UNKNOWN_PROPERTY
        if match["Rule"]["Id"] == rule and said.startswith(begin):
            left.append(remark.path)
        elif match["Level"] == "Error":
            refusals.append(remark)
        else:
            advice.append(remark)
    return Verdict(
        resource=resource, judge=JUDGE.name, refusals=tuple(refusals), advice=tuple(advice), left=tuple(left)
    )


def _findings(region: str, resources: Mapping[str, Declared]) -> dict[str, list[Mapping[str, Any]]]:
    """Name in the template -> cfn-lint's findings."""
    template = {name: {"Type": one.schema, "Properties": one.properties} for name, one in resources.items()}
    found: dict[str, list[Mapping[str, Any]]] = {}
    for match in _lint(region, {"Resources": template}):
        path: list[Any] = match["Location"]["Path"] or []
        if path[:1] == ["Resources"] and len(path) > 1:
            found.setdefault(path[1], []).append(match)
    return found


def _environment(home: str) -> dict[str, str]:
    """The environment of cfn-lint: without the user's configuration, and without tokens that a foreign plan could
    target.
    """
    return {"HOME": home, **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}}


def _lint(region: str, template: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Runs cfn-lint without the user's configuration, which would change its findings. Raises Fault."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "template.json"
        file.write_text(json.dumps(template), encoding="utf-8")
        command = [sys.executable, "-P", "-c", _RUN, "-r", region, "-f", "json", "-i", *_IGNORED, "--", str(file)]
        done = subprocess.run(
            command, cwd=folder, env=_environment(folder), capture_output=True, text=True, check=False
        )
    try:
        return json.loads(done.stdout)
    except ValueError:
        raise Fault(f"cfn-lint failed: {(done.stderr or done.stdout).strip()[-500:]}") from None
