"""The `gpucluster guardrails` command."""

from __future__ import annotations

import datetime
import json
import re
import sys

import pytest
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.policies.packs import TRAINING

COMPONENT = "urn:pulumi:dev::shop::example:index:Cluster::trial"
GROUP = "urn:pulumi:dev::shop::example:index:Cluster$aws:ec2/placementGroup:PlacementGroup::group"


@pytest.fixture
def guardrails():
    """Run the command; returns exit code, stdout and stderr."""

    def run(*arguments, stdin=""):
        done = CliRunner().invoke(main, ["guardrails", *arguments], input=stdin)
        return done.exit_code, done.stdout, done.stderr

    return run


def _exemption(rule, resource):
    until = datetime.date.today() + datetime.timedelta(days=30)
    entry = {"rule": rule, "resource": resource, "reason": "", "owner": "", "until": until.isoformat()}
    return json.dumps(entry)


STATED = {"requiredLabels": {"team": "research"}, "budget": {"monthly": "1000"}}


def _state(tags, **facts):
    component = {
        "urn": COMPONENT,
        "custom": False,
        "type": "example:index:Cluster",
        "inputs": {},
        "outputs": {**STATED, **facts},
    }
    group = {
        "urn": GROUP,
        "custom": True,
        "id": "group",
        "type": "aws:ec2/placementGroup:PlacementGroup",
        "inputs": {"strategy": "cluster", "tags": tags},
        "outputs": {"strategy": "cluster", "tags": tags, "tagsAll": tags},
        "parent": COMPONENT,
    }
    return json.dumps({"version": 3, "deployment": {"manifest": {}, "resources": [component, group]}})


def _plan(tags, **facts):
    def step(urn, type_, custom, inputs, **more):
        state = {"urn": urn, "custom": custom, "type": type_, "inputs": inputs, **more}
        return {"op": "create", "urn": urn, "newState": state}

    steps = [
        step(COMPONENT, "example:index:Cluster", False, {**STATED, **facts}),
        step(
            GROUP,
            "aws:ec2/placementGroup:PlacementGroup",
            True,
            {"strategy": "cluster", "tags": tags},
            parent=COMPONENT,
        ),
    ]
    return json.dumps({"config": {"aws:region": "us-east-1"}, "steps": steps, "changeSummary": {"create": 2}})


RULES = {_plan: len(TRAINING.rules), _state: len(TRAINING.rules) - len(TRAINING.change_rules)}
LAST = {_plan: "", _state: "\n5 rules about deletions and replacements could not run: they need a plan.\n"}
"""A state says nothing of what an update takes away."""
HEADS = "rule             level      resource  line"


@pytest.mark.parametrize("document", [_plan, _state])
def test_a_clean_file_ends_with_0(guardrails, document):
    code, out, err = guardrails("check", "-", stdin=document({"team": "research"}))
    assert (code, out, err) == (
        0,
        f"2 resources checked against {RULES[document]} rules; findings: none.\n{LAST[document]}",
        "",
    )


@pytest.mark.parametrize("document", [_plan, _state])
def test_a_mandatory_finding_ends_with_1(guardrails, document):
    code, out, err = guardrails("check", "-", stdin=document({}))
    assert (code, err) == (1, "")
    assert out.startswith(f"{HEADS}\nrequired-labels  mandatory  group\n    tags: `team` missing\n    why: ")
    assert out.endswith(
        f"2 resources checked against {RULES[document]} rules; findings: 1 mandatory, 0 advisory.\n{LAST[document]}"
        "\nNext: gpucluster guardrails explain NAME\n"
    )


def test_findings_for_machines_have_every_field(guardrails):
    code, out, _ = guardrails("check", "--format", "json", stdin=_state({}))
    rule = next(rule for rule in TRAINING.rules if rule.name == "required-labels")
    assert code == 1
    assert json.loads(out) == {
        "schema_version": 1,
        "pack": "training",
        "files": ["stdin"],
        "findings": [
            {
                "file": "stdin",
                "rule": "required-labels",
                "enforcement": "mandatory",
                "severity": "high",
                "resource": "group",
                "urn": GROUP,
                "source_position": None,
                "what": "tags: `team` missing",
                "why": rule.why,
                "fix": "Write the labels team=research; `gpucluster guardrails check` prints where.",
                "edits": [{"at": "tags", "write": {"team": "research"}}],
                "page": "docs/reference/rules.md#required-labels",
                "exemption": _exemption("required-labels", "group"),
            }
        ],
        "rules": RULES[_state],
        "machines": [],
        "nodes": [],
        "not_run": [rule.name for rule in TRAINING.change_rules],
        "resources": 2,
        "mandatory": 1,
        "advisory": 0,
    }


def test_an_exemption_turns_a_finding_into_advice(guardrails):
    until = (datetime.date.today() + datetime.timedelta(days=30)).isoformat()
    entry = {"rule": "required-labels", "resource": "group", "reason": "one day only", "owner": "ada", "until": until}
    code, out, _ = guardrails("check", "-", stdin=_state({}, exemptions=[entry]))
    assert code == 0
    assert "\nexemptions-in-use  advisory  group\n    required-labels: tags: `team` missing; accepted until" in out


def test_levels_and_settings_come_from_the_packs_configuration(guardrails, tmp_path):
    config = tmp_path / "config.json"
    config.write_text('{"required-labels": {"enforcementLevel": "advisory", "keys": ["owner"]}}')
    code, out, _ = guardrails("check", "--config", str(config), stdin=_state({}))
    assert code == 0
    assert "\nrequired-labels  advisory  group\n    tags: `owner` missing\n" in out


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}'])
def test_input_that_is_neither_plan_nor_state_ends_with_2_and_one_line(guardrails, text):
    code, out, err = guardrails("check", "-", stdin=text)
    assert (code, out) == (2, "")
    assert err.startswith("error: stdin ")
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_ends_with_2(guardrails):
    code, _, err = guardrails("check", "nowhere.json")
    assert code == 2
    assert "nowhere.json" in err


def test_the_list_names_every_rule(guardrails):
    code, out, _ = guardrails("list", "--format", "json")
    assert code == 0
    assert [rule["name"] for rule in json.loads(out)["rules"]] == [rule.name for rule in TRAINING.rules]
    listed = {line.partition(" ")[0] for line in guardrails("list")[1].splitlines()}
    assert {rule.name for rule in TRAINING.rules} <= listed


def test_every_rule_can_be_explained(guardrails):
    for rule in TRAINING.rules:
        code, out, _ = guardrails("explain", rule.name)
        shown = " ".join(out.split())
        lacking = [text for text in (rule.title, rule.why, rule.fix, rule.reads) if " ".join(text.split()) not in shown]
        assert (code, lacking) == (0, []), rule.name


def test_a_name_that_is_nearly_right_gets_a_suggestion(guardrails):
    code, _, err = guardrails("explain", "required-lables")
    assert code == 2
    assert "did you mean `required-labels`?" in err


def test_the_exemption_that_a_finding_offers_accepts_it_once_reason_and_owner_are_written(guardrails):
    _, out, _ = guardrails("check", stdin=_state({}))
    [line] = [line for line in out.splitlines() if "accept it" in line]
    entry = json.loads(line.partition("and an owner: ")[2])
    code, refused, _ = guardrails("check", stdin=_state({}, exemptions=[entry]))
    assert code == 1
    assert "exemption 1 has no reason, owner" in refused
    entry |= {"reason": "trial of one day", "owner": "ada"}
    assert guardrails("check", stdin=_state({}, exemptions=[entry]))[0] == 0


@pytest.mark.parametrize(
    ("pack", "settings", "place", "entry"),
    [
        (
            "training",
            {"rules": ["required-labels"], "owners": ["ada"], "days": 7},
            "exemptions",
            {"days": 7, "owner": "ada"},
        ),
        ("training", {"rules": ["budget"]}, "the pack's configuration, exemptions of required-labels", {}),
        ("production", {}, "the pack's configuration, exemptions of required-labels", {}),
    ],
    ids=["within limits", "of another rule", "of no program"],
)
def test_the_exemption_that_a_finding_offers_counts_in_the_pack(guardrails, tmp_path, pack, settings, place, entry):
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"exemptions-valid": settings}))
    arguments = ("check", "--pack", pack, "--config", str(config))
    _, out, _ = guardrails(*arguments, stdin=_state({}))
    [line] = [line for line in out.splitlines() if "accept it" in line]
    offered = json.loads(line.partition("a reason and an owner: ")[2])
    in_program = place == "exemptions"
    until = datetime.date.today() + datetime.timedelta(days=entry.get("days", 30))
    assert (line.partition("add to ")[2].partition(", with")[0], offered) == (
        place,
        {
            **({"rule": "required-labels"} if in_program else {}),
            "resource": "group",
            "reason": "",
            "owner": entry.get("owner", ""),
            "until": until.isoformat(),
        },
    )
    offered |= {"reason": "trial of one day", "owner": "ada"}
    if not in_program:
        config.write_text(json.dumps({"exemptions-valid": settings, "required-labels": {"exemptions": [offered]}}))
    code, out, _ = guardrails(*arguments, stdin=_state({}, exemptions=[offered] if in_program else []))
    assert (code, "required-labels  mandatory" in out) == (0, False)


def test_several_files_are_checked_at_once_and_each_is_named(guardrails, tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(_state({"team": "research"}))
    bad.write_text(_plan({}))
    code, out, _ = guardrails("check", str(good), str(bad))
    assert code == 1
    assert out.startswith(f"{good}: no findings\n\n{bad}\n\n{HEADS}\nrequired-labels  mandatory  group\n")
    assert f"4 resources checked against {RULES[_plan]} rules; findings: 1 mandatory, 0 advisory." in out


def test_every_file_that_cannot_be_read_is_named(guardrails, tmp_path):
    (tmp_path / "a.json").write_text("{")
    (tmp_path / "b.json").write_bytes(b"\xff\xfe")
    code, out, err = guardrails("check", str(tmp_path / "a.json"), str(tmp_path / "b.json"))
    assert (code, out) == (2, "")
    assert [line.partition(" is ")[0] for line in err.splitlines()] == [
        f"error: {tmp_path / 'a.json'}",
        f"error: {tmp_path / 'b.json'}",
    ]


@pytest.mark.parametrize("form", ["table", "json", "sarif", "junit"])
def test_every_format_is_written_to_a_file_with_the_same_exit_code(guardrails, tmp_path, form):
    printed = guardrails("check", "--format", form, stdin=_state({}))
    written = guardrails("check", "--format", form, "--output", str(tmp_path / "out"), stdin=_state({}))
    assert (printed[0], written) == (1, (1, "", ""))
    assert (tmp_path / "out").read_text() == printed[1] != ""


def test_a_disabled_rule_does_not_run(guardrails, tmp_path):
    (tmp_path / "config.json").write_text('{"required-labels": "disabled"}')
    code, out, _ = guardrails("check", "--config", str(tmp_path / "config.json"), stdin=_plan({}))
    assert (code, out) == (0, f"2 resources checked against {RULES[_plan] - 1} rules; findings: none.\n")


def test_a_fault_of_the_tool_ends_with_3_and_one_line(monkeypatch, capsys, tmp_path):
    (tmp_path / "state.json").write_text(_state({}))
    monkeypatch.setattr(sys, "argv", ["gpucluster", "guardrails", "check", str(tmp_path / "state.json")])
    monkeypatch.setattr("gpucluster.policies.report.evaluate", lambda *_, **__: 1 / 0)
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 3
    out, err = capsys.readouterr()
    assert out == ""
    assert re.fullmatch(
        r"error: internal error \(please report\): ZeroDivisionError in gpucluster\.policies\.report, line \d+\n", err
    )


def test_what_a_plan_takes_away_is_a_finding(guardrails):
    plan = json.loads(_plan({"team": "research"}))
    urn = "urn:pulumi:dev::shop::aws:eks/cluster:Cluster::trial"
    state = {"urn": urn, "custom": True, "type": "aws:eks/cluster:Cluster", "inputs": {"name": "a"}}
    tagged = {**state, "inputs": {"name": "b", "tags": {"team": "research"}}}
    step = {"op": "replace", "urn": urn, "oldState": state, "newState": tagged, "replaceReasons": ["name"]}
    code, out, _ = guardrails("check", stdin=json.dumps({**plan, "steps": [*plan["steps"], step]}))
    assert code == 1
    assert (
        "\nno-replacement-of-control-plane  mandatory  trial\n    control plane is replaced, because of `name`\n" in out
    )


def test_a_pack_decides_what_stops_and_not_what_is_found(guardrails):
    found = {}
    for pack in ("baseline", "training", "production"):
        code, out, _ = guardrails("check", "--pack", pack, "--format", "json", stdin=_state({}))
        read = json.loads(out)
        found[pack] = (code, [(f["rule"], f["enforcement"]) for f in read["findings"]])
    assert found == {
        "baseline": (0, [("required-labels", "advisory")]),
        "training": (1, [("required-labels", "mandatory")]),
        "production": (1, [("required-labels", "mandatory")]),
    }


def test_a_configuration_that_is_right_is_told_how_to_be_used(guardrails, tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"required-labels": {"keys": ["team"]}, "budget": "advisory"}')
    assert guardrails("config", "check", str(path), "--pack", "production") == (
        0,
        "2 rules configured, 1 with a level of their own; all known.\n"
        f'Next: pulumi preview --policy-pack "$(gpucluster guardrails pack production)" --policy-pack-config {path}\n',
        "",
    )


def test_a_configuration_that_is_wrong_ends_with_2_and_a_line_for_each_problem(guardrails):
    assert guardrails("config", "check", stdin='{"budgit": "mandatory", "budget": {"montly": "5"}}') == (
        2,
        "",
        "error: unknown rule `budgit`; did you mean `budget`?\n"
        "error: budget: unknown setting `montly`; did you mean `monthly`?\n",
    )


def test_a_plan_says_what_becomes_of_the_nodes_of_pools_and_what_is_at_stake(guardrails):
    plan = guardrails("explain", "replacement-of-training-pool", "--example", "fail")[1]
    told = (
        "Effect on nodes - train, 4 nodes of p5.48xlarge: nodes are replaced or reimaged, one at a time; jobs on them "
        "end; changed: releaseVersion; at stake for each hour since the last checkpoint: 32 GPU-hours, $220.17"
    )
    assert told in " ".join(guardrails("check", "--quiet", stdin=plan)[1].split())
    assert json.loads(guardrails("check", "--format", "json", stdin=plan)[1])["nodes"] == [
        {
            "file": "stdin",
            "pool": "train",
            "machine": "p5.48xlarge",
            "nodes": 4,
            "effect": "rolling",
            "changed": ["releaseVersion"],
            "gone": 0,
            "gpus": 32,
            "usd": "220.17",
        }
    ]
