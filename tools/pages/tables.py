"""Writes docs/reference/rules.md, docs/reference/node-changes.md and docs/reference/submitter-rights.md.

All content of a rule comes from the rule itself, so that `gpucluster guardrails explain` and the page never differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from gpucluster.components.kubernetes.slurm.slurm import IN_SLURM
from gpucluster.components.kubernetes.submitters import EXEC, IN_CLUSTER, IN_NAMESPACE, Right
from gpucluster.core.catalog.clouds import clouds
from gpucluster.core.catalog.tables import Row, rows
from gpucluster.policies.engine.examples import example_of
from gpucluster.policies.engine.rule import EXEMPTIONS, ChangeRule, ReportRule, ResourceRule, Rule, StackRule
from gpucluster.policies.engine.settings import REMEDIATE
from gpucluster.policies.packs import PACKS, TRAINING

_CLOUDS: Final[Mapping[str, str]] = {f"{cloud.package}:": cloud.title for cloud in clouds().values()}
_RUNS: Final[Mapping[type[Rule], str]] = {
    ResourceRule: "resource",
    StackRule: "stack",
    ChangeRule: "change",
    ReportRule: "report",
}
_HEAD: Final = f"""\
| kind | when it runs |
| --- | --- |
| resource | in `preview` and `up`, before the resource is created, and in `gpucluster guardrails check`; never exempt |
| stack | in `preview` and `up`, when all resources are registered, and in `gpucluster guardrails check` |
| change | in `gpucluster guardrails check` of plan files; a policy pack cannot see deletions |
| report | after all others, on their results |

`gpucluster guardrails explain NAME` prints one rule. `explain NAME --example pass` and `--example fail` print a program
that passes it and one that does not, where the table says so:
`gpucluster guardrails explain budget --example fail | gpucluster guardrails check`.

An exemption accepts a finding of a stack or change rule, in the component around the resource (not with the production
pack, which takes exemptions from its configuration alone):

```
{{"rule": "NAME", "resource": "NAME", "reason": "...", "owner": "...", "until": "YYYY-MM-DD"}}
```

For a program without one, in the pack's configuration:

```
{{"NAME": {{"{EXEMPTIONS}": [{{"resource": "NAME", "reason": "...", "owner": "...", "until": "YYYY-MM-DD"}}]}}}}
```
"""


def rules_page() -> str:
    """The whole page."""
    rows = [
        f"| [{rule.name}](#{rule.name}) | {rule.title} | {_clouds(rule)} | {_level(rule)} | {_RUNS[type(rule)]} "
        f"| {'yes' if example_of(rule.name) else ''} |"
        for rule in TRAINING.rules
    ]
    return "\n".join(
        (
            "# Rules",
            "",
            f"The {len(TRAINING.rules)} rules of the [policy packs](../../policies/README.md). Written by `make docs`.",
            "",
            "| rule | what must be true | clouds | in the training pack | kind | example |",
            "| --- | --- | --- | --- | --- | --- |",
            *rows,
            "",
            _HEAD,
            *map(_section, TRAINING.rules),
        )
    )


def _section(rule: Rule) -> str:
    others = ", ".join(f"{pack.name} {pack.enforcement(rule).value}" for pack in PACKS.values())
    parts = [
        f"## {rule.name}",
        f"{rule.title}. Severity {rule.severity.value}; {others}.",
        f"**Why**: {rule.why}",
        f"**Fix**: {rule.fix}",
        f"**Reads**: {_code(_sentence(rule.reads))}",
        *_settings(rule),
        *_mend(rule),
        *_see(rule),
    ]
    return "\n\n".join(parts) + "\n"


def _clouds(rule: Rule) -> str:
    """The clouds of its types; a rule without any type applies to every resource."""
    named = [cloud for prefix, cloud in _CLOUDS.items() if re.search(rf"(?<![\w-]){prefix}", rule.reads)]
    return ", ".join(named) or "every one"


def _level(rule: Rule) -> str:
    return TRAINING.enforcement(rule).value


def _sentence(text: str) -> str:
    """The text as a sentence; a type token at its start keeps its case."""
    token = ":" in text.split()[0]
    return f"{text if token else text[0].upper() + text[1:]}."


def _code(text: str) -> str:
    """Formats type tokens as code."""
    return re.sub(r"[\w-]+:[\w./-]+:\w+", lambda token: f"`{token[0]}`", text)


def _settings(rule: Rule) -> list[str]:
    own = {name: of for name, of in rule.settings.items() if name != EXEMPTIONS}
    rows = [f"- `{name}` ({of['type']}): {of['description']}." for name, of in own.items()]
    return ["**Settings**:\n\n" + "\n".join(rows)] if rows else []


def _mend(rule: Rule) -> list[str]:
    if rule.mends_by is None:
        return []
    entry = f'{{"{rule.name}": {{"enforcementLevel": "{REMEDIATE}", "labels": {{"team": "research"}}}}}}'
    words = (
        f"At level `{REMEDIATE}`, which no pack sets by default, the rule edits each resource before it is created; "
        "`preview --diff` shows the edits. It uses its settings only, because components register their facts later. "
        "What it cannot fix is a mandatory finding."
    )
    return [f"**Remediation**: {words}\n\n```\n{entry}\n```"]


def _see(rule: Rule) -> list[str]:
    if not rule.frameworks:
        return []
    return ["**See**: " + ", ".join(f"[{f.name}, {f.specification}]({f.reference})" for f in rule.frameworks)]


_EFFECTS: Final = {
    "nothing": "nothing: nodes and jobs stay",
    "size": "more nodes: nothing; fewer: the removed nodes end with their jobs",
    "taints": "nothing; a new `NoExecute` taint ends the pods that do not tolerate it",
    "reboot": "reboot: nodes reboot, one by one",
    "rolling": "rolling: nodes are replaced or reimaged, one by one",
    "refused": "refused: the cloud accepts it for new pools only",
    "loss": "loss: the pool is deleted, and another is created",
}
_ORDER: Final = tuple(_EFFECTS)


def node_changes_page() -> str:
    """The text."""
    lines = [
        "# Effects of pool changes on running nodes",
        "",
        "Written by `make docs` from "
        "[`gpucluster/core/catalog/node_changes.csv`](../../gpucluster/core/catalog/node_changes.csv). Previews, "
        "`gpucluster guardrails check` and the check of a pull request use the same table. See [changing a "
        "cluster](../operate/changing-a-cluster.md).",
    ]
    found = rows("node_changes")
    for cloud in clouds().values():
        own = [row for row in found if row["type"].startswith(f"{cloud.package}:")]
        for type_ in dict.fromkeys(row["type"] for row in own):
            lines += ["", f"## {cloud.title}: `{type_}`", "", "| property | effect on nodes | source |"]
            lines += ["| --- | --- | --- |", *_table([row for row in own if row["type"] == type_])]
    return "\n".join([*lines, ""])


def _table(own: list[Row]) -> Iterator[str]:
    for row in sorted(own, key=lambda row: (_ORDER.index(row["effect"]), row["properties"] == "*")):
        named = ", ".join(f"`{name}`" for name in row["properties"].split())
        what = "all others" if row["properties"] == "*" else named
        yield f"| {what} | {_EFFECTS[row['effect']]} | {row['source']} |"


def submitter_rights_page() -> str:
    """docs/reference/submitter-rights.md, from the roles of submitters."""
    lines = [
        "# Rights of a submitter",
        "",
        "Written by `make docs` from the roles in "
        "[`components/kubernetes/submitters.py`](../../components/kubernetes/submitters.py). A submitter is who "
        "`access.submitters` or `teams` names ([teams](../run/teams.md)). `tests/jobs/test_submitters.py` runs the "
        "commands of the pages about jobs, and all examples, with these rights on a real API server.",
        "",
        "The policy `submitters` sets the limits that a role can't "
        "([`submitters.yaml`](../../components/kubernetes/jobs/manifests/submitters.yaml)); `gpu-pods` and "
        "`training-jobs` judge pods and TrainJobs of everybody ([policies](../run/jobs.md#admission-policies)).",
    ]
    for title, rights in (
        ("In the namespace of the jobs", [*IN_NAMESPACE, EXEC]),
        ("In the namespace `slurm`, for `access.submitters`", IN_SLURM),
        ("In the whole cluster, read only", IN_CLUSTER),
    ):
        lines += [
            "",
            f"## {title}",
            "",
            "| API group | objects | verbs | reason or limit |",
            "| --- | --- | --- | --- |",
        ]
        lines += map(_right, rights)
    return "\n".join([*lines, ""])


def _right(right: Right) -> str:
    objects = ", ".join(f"`{resource}`" for resource in right.resources)
    return f"| {right.group or 'core'} | {objects} | {', '.join(right.verbs)} | {right.why} |"
