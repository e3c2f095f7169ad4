"""What the vendors' schemas refuse, as advice on a pull request."""

from __future__ import annotations

import json

import pytest

from gpucluster.cost.prices import PriceBook
from gpucluster.operate.judges import bench
from gpucluster.operate.judges.report import Remark
from gpucluster.operate.pull_request import vendors
from gpucluster.operate.pull_request.judge import Judge
from gpucluster.operate.pull_request.judgement import Judgement
from gpucluster.operate.pull_request.render.comment import comment
from gpucluster.operate.pull_request.render.json import as_json
from gpucluster.policies.engine.settings import Settings
from tests.gpucluster.operate.judges.conftest import resources
from tests.gpucluster.operate.pull_request.conftest import LABELS, PACK, TODAY, TRIAL, Resources, evidence, stack

NETWORK = "gcp:compute/network:Network"
FINE = {
    "trial": TRIAL["trial"],
    "vpc": {"type": "aws:ec2/vpc:Vpc", "cidrBlock": "10.0.0.0/16", "tags": LABELS},
    "net": {"type": NETWORK, "routingMode": "REGIONAL"},
}
BAD = {**FINE, "net": {"type": NETWORK, "routingMode": "Bo`gus"}}
SAID = "'Bo`gus' is not one of ['GLOBAL', 'REGIONAL'] (compute.beta, Network)"


def judged(after: Resources) -> Judgement:
    judge = Judge(book=PriceBook(today=TODAY), pack=PACK, settings=Settings(), today=TODAY, ask=vendors.heard)
    return judge.judge(evidence(stack(after, FINE)), [])


def test_a_refusal_is_advice_in_the_judge_s_words_and_holds_up_nothing() -> None:
    found = judged(BAD)
    text = comment(found)
    assert found.passes
    assert text.split("(advice)\n\n")[1].splitlines()[0] == (
        f"- gcp in `dev`: `net` (`{NETWORK}`): `routingMode`: ``{SAID}``"
    )
    assert "Not held against" not in text


def test_json_has_every_refusal() -> None:
    [dev] = json.loads(as_json(judged(BAD)))["stacks"]
    assert dev["vendors"] == {
        "refusals": [{"judge": "gcp", "resource": "net", "type": NETWORK, "path": "routingMode", "said": SAID}],
        "unheard": [],
    }


def test_a_plan_that_nobody_refuses_stays_one_calm_sentence() -> None:
    assert comment(judged(FINE)).startswith("No cost or policy change: ")


def test_a_judge_that_is_missing_is_named_with_the_command_and_the_others_are_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    there = bench.find_spec
    monkeypatch.setattr(bench, "find_spec", lambda name: None if name == "cfnlint" else there(name))
    text = comment(judged(BAD))
    assert "\nNot checked against the vendors' schemas: `aws: pip install 'cfn-lint>=1.58,<2'`.\n" in text
    assert "- gcp in `dev`: `net` (" in text


def test_without_any_judge_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench, "find_spec", lambda _: None)
    assert vendors.heard(resources(net=(NETWORK, {"routingMode": "Bogus"}))) == vendors.Vendors(
        refusals=[], unheard=["gcp: pip install 'google-api-python-client>=2.202,<3'"]
    )


def test_a_plan_that_breaks_a_judge_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> object:
        raise RecursionError

    monkeypatch.setattr(vendors, "judged", broken)
    assert vendors.heard(resources(net=(NETWORK, {}))).unheard == ["the judges failed: RecursionError"]


def test_a_refusal_knows_its_resource() -> None:
    [refusal] = vendors.heard(resources(net=(NETWORK, {"mtu": "wide"}))).refusals
    assert (refusal.resource.name, refusal.remark) == (
        "net",
        Remark("mtu", "'wide' is not a number (compute.beta, Network)"),
    )
