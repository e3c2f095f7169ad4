"""What is mutated, and the commands that read it. FILE stands for the mutant, and another name for a whole file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Final

import yaml

from gpucluster.policies.examples import example_of, plan_of
from gpucluster.policies.packs import TRAINING
from gpucluster.sandbox.clouds.ledger import Ledger
from gpucluster.sandbox.clouds.sdk import installed_sdks, site_packages
from gpucluster.sandbox.project import find_project
from gpucluster.sandbox.stacks import private_config
from tests.fuzz import account
from tests.fuzz.kind import ROOT, Kind, forms, texts
from tests.fuzz.mutants import HOSTILE
from tests.pull_request.conftest import TRIAL, changed, evidence, stack

__all__ = ["KINDS", "READERS", "WHOLE"]


def _samples(cloud: str) -> str:
    """A state with a resource of each of 25 types of a cloud whose bill is a list of rates."""
    types: Mapping[str, Any] = yaml.load((ROOT / "tests/cost/types/samples.yaml").read_text(), yaml.CSafeLoader)
    found = islice((item for item in types.items() if item[0].startswith(cloud)), 25)
    records = [
        {
            "urn": f"urn:pulumi:dev::fuzz::{type_}::a{at}",
            "type": type_,
            "custom": True,
            "inputs": of,
            "outputs": of,
        }
        for at, (type_, of) in enumerate(found)
    ]
    return json.dumps({"version": 3, "deployment": {"resources": records}}, default=str)


def _plans() -> list[str]:
    rules = sorted(rule.name for rule in TRAINING.rules)
    found = [
        plan_of(example, fails=fails) for rule in rules if (example := example_of(rule)) for fails in (True, False)
    ]
    return [
        *map(json.dumps, found),
        *texts("tests/program/recordings/plan.json", "tests/program/recordings/update.json"),
    ]


def _teams() -> str:
    """A plan with a machine for each team whose name has a hostile end."""
    steps: list[Mapping[str, Any]] = []
    for at, end in enumerate(HOSTILE):
        urn, type_ = f"urn:pulumi:dev::fuzz::aws:ec2/instance:Instance::a{at}", "aws:ec2/instance:Instance"
        inputs = {"instanceType": "m7i.xlarge", "tags": {"team": f"research{end}"}}
        steps.append(
            {"op": "create", "urn": urn, "newState": {"urn": urn, "type": type_, "custom": True, "inputs": inputs}}
        )
    return json.dumps({"config": {"aws:region": "us-east-1"}, "steps": steps})


_EVIDENCE: Final = evidence(
    stack(changed("shared", storageCapacity=2400, tags={"team": "other"}), replaced=["shared"]),
    stack(TRIAL, {}, name="new", base="absent", state=None),
    changed_files=["README.md", "cost/prices/aws.csv"],
)
_FAILED: Final = evidence(stack(TRIAL, name="broken", head="failed", head_problem="the program ended", plan=None))

_OF_PLANS: Final = [
    *forms("cost report FILE", "table", "json", "csv", "markdown", "html"),
    *forms("cost diff FILE PLAN", "table", "json", "csv", "markdown"),
    *forms("cost compare PLAN FILE", "table", "json", "csv", "markdown", "html"),
    *forms("cost options FILE", "table", "json", "csv", "markdown"),
    *forms("cost tco --plan FILE", "table", "markdown", "html"),
    *forms("cost advise FILE", "table", "json"),
    *forms("cost budgets --limits LIMITS FILE", "table", "json"),
    *forms("cost explain 1 FILE", "table", "json"),
    *forms("guardrails check FILE", "table", "json", "sarif", "junit"),
    ["cost", "report", "--group-by", "team", "FILE"],
    ["cost", "usage", "init", "FILE"],
    *forms("judge --judge gcp --judge azure --judge kubernetes FILE", "table", "json"),
    ["rights", "FILE"],
    ["upgrade", "--plan", "--state", "FILE"],
]

WHOLE: Final[Mapping[str, str]] = {
    "PLAN": texts("tests/program/recordings/plan.json")[0],
    "LIMITS": "stack: {monthly: 1}\nlabels: {team: {research: {monthly: 5}}}\n",
    "EVIDENCE": _EVIDENCE.model_dump_json(),
    "SPEC": texts("stacks/specs/trial.yaml")[0],
    "TEAMS": _teams(),
    "BILL": account.KINDS["bill"].seeds[0],
    "PRICES": "provider,region,sku,unit,usd_per_unit\naws,us-east-1,m7i.xlarge,instance-hour,0.2\n",
    "TRIAL": texts("tests/cost/bills/trials/aws.json")[0],
}
"""Files beside the mutant."""

_EXEMPTION: Final = (
    "exemptions:\n- {rule: budget-ceiling, resource: disk of vision, reason: the audit of spring asks for it, "
    "owner: platform of vision, until: 2027-03-01}\n"
)
"""The texts of a spec that are anybody's; labels and names have letters and digits alone."""

KINDS: Final[Mapping[str, Kind]] = {
    "spec": Kind(
        seeds=[f"{text}{_EXEMPTION}" for text in texts("stacks/specs/*.yaml", "examples/specs/*/*.yaml")],
        structure="yaml",
        name="spec.yaml",
        commands=[
            *(["check", "FILE", "--cloud", cloud] for cloud in ("aws", "gcp", "azure")),
            ["check", "FILE", "--format", "json"],
            ["acceptance", "report", "--spec", "FILE", str(ROOT / "examples/acceptance/p5-ring-healthy.log")],
        ],
        words=("vision", "spring", "platform of"),
    ),
    "stack configuration": Kind(
        seeds=texts("stacks/Pulumi.*.yaml"),
        structure="yaml",
        name="Pulumi.fuzz.yaml",
        commands=[
            ["check", "--stack", "fuzz"],
            ["telemetry", "rules", "--stack", "fuzz"],
            ["telemetry", "opencost", "--stack", "fuzz"],
            ["the sandbox's own configuration"],
        ],
    ),
    "plan": Kind(seeds=_plans(), structure="json", name="plan.json", commands=_OF_PLANS),
    "state": Kind(
        seeds=[*texts("tests/program/recordings/state.json"), *map(_samples, ("aws", "gcp", "azure-native"))],
        structure="json",
        name="state.json",
        commands=_OF_PLANS,
    ),
    "prices": Kind(
        seeds=[
            "provider,region,sku,kind,unit,purchase,term,usd_per_unit,as_of,source,note\n"
            "aws,us-east-1,p5.48xlarge,compute,instance-hour,on_demand,,40,2026-10-01,our contract,\n"
            "aws,us-east-1,gp3,disk,GiB-month,on_demand,,0.07,2026-10-01,our contract,second\n",
            "provider,region,sku,unit,usd_per_unit\naws,us-east-1,m7i.xlarge,instance-hour,0.2\n",
        ],
        structure="csv",
        name="prices.csv",
        commands=[
            *forms("cost report --prices FILE PLAN", "table", "json", "csv", "markdown", "html"),
            *forms("cost options --prices FILE PLAN", "table"),
            *forms("guardrails pr-check render --prices FILE EVIDENCE", "markdown"),
        ],
    ),
    "usage": Kind(
        seeds=[
            "defaults:\n  egress_gib: 200\n  nat_gib: 10\ntypes:\n  aws:lambda/function:Function:\n"
            "    lambda_million_requests: 3\n",
            "defaults: {cud_1y_share: 0.2}\nresources:\n  train-nodes: {expected_share: 0.4}\n",
        ],
        structure="yaml",
        name="usage.yaml",
        commands=[
            *forms("cost report --usage FILE PLAN", "table", "json", "markdown"),
            *forms("cost diff --usage FILE PLAN PLAN", "table"),
        ],
    ),
    "limits": Kind(
        seeds=[WHOLE["LIMITS"], f"{WHOLE['LIMITS']}pools: {{train-nodes: {{monthly: 7, ceiling: 9}}}}\n"],
        structure="yaml",
        name="limits.yaml",
        commands=[
            *forms("cost budgets --limits FILE PLAN", "table", "json"),
            *forms("cost budgets --limits FILE TEAMS", "table", "json"),
        ],
        words=("research",),
    ),
    "policy configuration": Kind(
        seeds=[
            json.dumps(
                {
                    "all": "advisory",
                    "required-labels": {"enforcementLevel": "remediate", "labels": {"team": "research"}},
                    "budget-ceiling": "mandatory",
                    "label-values": "disabled",
                }
            )
        ],
        structure="json",
        name="config.json",
        commands=[
            ["guardrails", "config", "check", "FILE"],
            *forms("guardrails check PLAN --config FILE", "table", "json", "sarif", "junit"),
        ],
    ),
    "evidence": Kind(
        seeds=[it.model_dump_json() for it in (_EVIDENCE, _EVIDENCE, _FAILED)],
        structure="json",
        name="evidence.json",
        commands=forms("guardrails pr-check render FILE", "markdown", "json"),
        words=("other", "research", "shared", "shop", "storageType", "system", "the program ended", "trial", "README"),
    ),
    "scenario": Kind(
        seeds=texts("examples/scenarios/*.yaml"), structure="yaml", name="scenario.yaml", commands=[["the scenario"]]
    ),
    "log": Kind(
        seeds=texts("examples/acceptance/*.log", "examples/acceptance/*.json", "tests/acceptance/logs/h100/*"),
        structure="",
        name="measured.log",
        commands=[
            *forms("acceptance report FILE", "text", "json", "html"),
            *forms("acceptance report --spec SPEC FILE", "text"),
            *forms("acceptance topology FILE", "text"),
        ],
    ),
    "own cluster": Kind(
        seeds=[
            "nodes: 8\nnode_usd: 300000\nusd_per_kwh: 0.08\nlife_years: 4\npue: 1.3\n",
            "gpus_per_node: 4\nspare_share: 0.1\nutilisation: 0.7\nkw_per_node: 10.2\nresidual_share: 0.1\n",
        ],
        structure="yaml",
        name="tco.yaml",
        commands=[
            *forms("cost tco --inputs FILE --against 3", "table", "json", "csv", "markdown", "html"),
            *forms("cost tco --inputs FILE --reserved 2 --plan PLAN", "table"),
        ],
    ),
    "jobs": Kind(
        seeds=texts("examples/jobs/*.yaml"), structure="", name="jobs.yaml", commands=[["the rehearsed jobs"]]
    ),
    **account.KINDS,
}


def _scenario(file: Path) -> None:
    from gpucluster.sandbox.scenario_file import read_scenario
    from gpucluster.sandbox.seed import disturb, seed

    scenario, ledger = read_scenario(file), Ledger(file.with_suffix(".sqlite3"))
    seed(scenario, installed_sdks(site_packages(None)), ledger)
    disturb(scenario, ledger)


def _jobs(file: Path) -> None:
    from gpucluster.rehearse.manifests import read_manifests

    for manifest in read_manifests([file]):
        _ = (manifest.title, manifest.makes_pods)


def _configuration(file: Path) -> None:
    project = find_project(file.parent)
    assert project is not None
    private_config(project, "fuzz", file, file.with_name("private.yaml"))


READERS: Final[Mapping[str, Callable[[Path], None]]] = {
    "the scenario": _scenario,
    "the rehearsed jobs": _jobs,
    "the sandbox's own configuration": _configuration,
    **account.READERS,
}
"""What a command reads before it starts an engine."""
