"""The judgement as a comment."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from gpucluster.core.documents.document import LONGEST
from gpucluster.core.documents.formats import written
from gpucluster.cost.prices import PriceBook
from gpucluster.operate.pull_request.comment import LONGEST_SUMMARY, comment, judgement_document
from gpucluster.operate.pull_request.evidence import JobEvidence, PackFinding, StackEvidence
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Violation
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.rules import required_labels
from tests.gpucluster.operate.pull_request.conftest import TODAY, TRIAL, Resources, changed, evidence, stack
from tests.says import Says

TWICE = changed("system", scalingConfig={"desiredSize": 4, "minSize": 4, "maxSize": 4})
UNLABELLED = changed("shared", tags={})


HEADING = "## gpucluster\n\n"
"""So that it is told apart from the comments of other tools."""
REQUIRED = re.compile(r"^\| `required-labels`", re.MULTILINE)


def first(text: str) -> str:
    """The verdict, below the heading."""
    assert text.startswith(HEADING)
    return text.splitlines()[2]


def test_a_clean_change_is_one_calm_sentence_with_the_total(judge) -> None:
    assert comment(judge(evidence(stack(TRIAL)))) == (
        f"{HEADING}**No cost or policy change: `dev` costs $471.54 a month, as before, and no mandatory rule is "
        "broken.**"
    )
    assert comment(judge(evidence(stack(TRIAL), stack(TRIAL, name="prod")))) == (
        f"{HEADING}**No cost or policy change: the 2 stacks cost $943.08 a month, as before, and no mandatory rule is "
        "broken.**"
    )


def test_a_change_of_cost_is_a_sentence_a_table_and_the_detail_folded(judge) -> None:
    assert comment(judge(evidence(stack(TWICE)))) == (
        f"{HEADING}**Passes: $297.53 a month more (63.1%), from $471.54 to $769.07; no mandatory rule is broken.**\n"
        "\n"
        "| stack | before | after | change | violations |\n"
        "| --- | ---: | ---: | ---: | --- |\n"
        "| `dev` | $471.54 | $769.07 | +$297.53 | none |\n"
        "\n"
        "- `dev`, budget: within $10,000.00 a month\n"
        "\n"
        "<details><summary>dev: 1 to update</summary>\n"
        "\n"
        "| | before | after | change |\n"
        "| --- | ---: | ---: | ---: |\n"
        "| **`trial`** | $471.54 | $769.07 | +$297.53 |\n"
        r"| \~ `2 x m7i.xlarge on demand -> 4 x m7i.xlarge on demand` (`system`) | $294.34 | $588.67 | +$294.33 |"
        "\n"
        r"| \~ `root disks, gp3` (`system`) | $3.20 | $6.40 | +$3.20 |"
        "\n"
        "| **Total per month** | $471.54 | $769.07 | +$297.53 |\n"
        "| **Total per hour** | $0.65 | $1.05 | +$0.40 |\n"
        "\n"
        "Budget: within budget: expected $769.07 a month, ceiling $769.07; budget $10,000.00\n"
        "\n"
        "2 lines change, 1 stay the same\n"
        "\n"
        "</details>\n"
        "\n"
        "List prices in USD a month, before tax, discounts, support and data transfer. The plan was computed from this "
        "branch in a sandbox: treat it as advice, not as proof. Rules: pack `training`. Base: `bbbbbbbbbbbb`."
    )


def test_mandatory_findings_stand_before_the_detail_with_place_and_money(judge) -> None:
    text = comment(judge(evidence(stack(UNLABELLED), stack(TRIAL, name="prod"))))
    assert first(text) == Says("Fails", "1", "dev", "same", "$943.08")
    assert "| `dev` | $471.54 | $471.54 | $0.00 | 1 mandatory |\n" in text
    assert "| **Total** | $943.08 | $943.08 | $0.00 | 1 mandatory |\n" in text
    [row] = [line for line in text.splitlines() if REQUIRED.match(line)]
    assert row.startswith(
        "| `required-labels`: ``tags: `team` missing``<br>Fix: ``Write the labels team=research; `gpucluster "
        "guardrails check` prints where.``"
    )
    assert row.endswith('.<br>Write in `tags`: `{"team": "research"}` | `dev` | `shared` | $174.00 | `__main__.py:6` |')
    assert "<details>" not in text


def test_a_change_that_fails_ends_its_required_changes_with_the_next_command(judge) -> None:
    following = "\n\nNext: make these changes; `gpucluster guardrails pr-check` shows this text before you push.\n\n"
    text = comment(judge(evidence(stack(UNLABELLED))))
    assert text.index("**Required changes**") < text.index(following)
    assert "Next:" not in comment(judge(evidence(stack(TWICE))))


def test_a_stack_that_stays_the_same_has_no_line_beside_the_table(judge) -> None:
    text = comment(judge(evidence(stack(TWICE), stack(TRIAL, name="prod"))))
    assert re.findall(r"^- `.*, budget:.*$", text, re.MULTILINE) == ["- `dev`, budget: within $10,000.00 a month"]


def test_a_finding_of_the_base_is_said_to_be_one(judge) -> None:
    assert "| `required-labels` (in the base too): " in comment(judge(evidence(stack(UNLABELLED, UNLABELLED))))


@pytest.mark.parametrize(
    ("after", "verdict", "tables"),
    [
        (
            UNLABELLED,
            "**No cost or policy change: `dev` costs $471.54 a month, as before, and no new mandatory finding (1 more "
            "in the base too).**",
            [],
        ),
        (
            changed("system", UNLABELLED, tags={}),
            "**Fails: 1 new mandatory finding in `dev` (1 more in the base too); the cost stays the same, $471.54 a "
            "month.**",
            ["**Required changes**", "**Mandatory findings of the base, which do not fail this change**"],
        ),
    ],
    ids=["old", "new"],
)
def test_with_only_new_findings_of_the_base_have_a_table_of_their_own(judge, after, verdict, tables) -> None:
    found = replace(judge(evidence(stack(after, UNLABELLED))), only_new=True)
    text = comment(found)
    assert first(text) == verdict
    assert [line for line in text.splitlines() if line.startswith("**") and line != verdict] == tables
    assert [bool(line.count("in the base too")) for line in text.splitlines() if REQUIRED.match(line)] == [
        bool(number) for number, _ in enumerate(tables)
    ]


def other(message: str, level: str = "mandatory", resource: str = "shared") -> PackFinding:
    return PackFinding(pack="acme", policy="tagged", level=level, resource=resource, message=message)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("found", "only_new", "verdict", "rows"),
    [
        (
            {"packs_after": [other("2 tags missing")]},
            False,
            Says("Fails", "1 mandatory finding of other policy packs in `dev`"),
            ["| `tagged` of `acme` (mandatory): `2 tags missing` | `dev` | `shared` |"],
        ),
        (
            {"packs_before": [other("1 tag missing")], "packs_after": [other("2 tags missing")]},
            True,
            Says("No cost or policy change"),
            [],
        ),
        (
            {"packs_before": [other("1 tag missing")], "packs_after": [other("2 tags missing")]},
            False,
            Says("Fails", "1 mandatory finding of other policy packs in `dev`"),
            ["| `tagged` of `acme` (mandatory, in the base too): `2 tags missing` | `dev` | `shared` |"],
        ),
        (
            {"packs_after": [other("</details> @all", "advisory", "")]},
            False,
            Says("Passes"),
            ["| `tagged` of `acme` (advisory): `</details> @all` | `dev` | `the whole stack` |"],
        ),
        ({"packs_problem": "no module"}, False, Says("Fails", "policy packs did not run on `dev`"), []),
    ],
    ids=["new", "old with only new", "old", "advice", "did not run"],
)
def test_findings_of_other_policy_packs_are_part_of_it(judge, found, only_new, verdict, rows) -> None:
    text = comment(replace(judge(evidence(stack(TRIAL, **found))), only_new=only_new))
    assert first(text) == verdict
    assert [line for line in text.splitlines() if line.startswith("| `tagged`")] == rows


def test_lost_storage_is_in_the_first_line_and_a_line_of_its_own(judge) -> None:
    text = comment(judge(evidence(stack(changed("shared", storageCapacity=2400), replaced=["shared"]))))
    assert first(text) == Says(
        "Fails", "1", "dev", "$174.00", "more", "36.9%", "$471.54", "$645.54", "1", "deleted", "replaced"
    )
    assert (
        "- `shared` (`aws:fsx/lustreFileSystem:LustreFileSystem`): storage: replaced, forced by `storageType`; "
        "$174.00 a month before\n"
    ) in text
    assert text.index("**Required changes**") < text.index("<details>")


@pytest.mark.parametrize(
    ("made", "line", "row"),
    [
        (
            stack(TRIAL, {}, base="absent", state=None),
            Says("Passes", "$471.54", "more", "$0.00", "$471.54", "no"),
            "| `dev` | new stack | $471.54 | +$471.54 | none |",
        ),
        (
            stack({}, head="absent", plan=None),
            Says(
                "Passes", "dev", "no", "$471.54", "less", "100.0%", "$471.54", "$0.00", "1", "deleted", "replaced", "no"
            ),
            "| `dev` | $471.54 | not in the project | -$471.54 |",
        ),
        (
            stack(TRIAL, {}, base="failed", base_problem="over budget", state=None),
            Says("Passes", "no", "compare", "no", "mandatory"),
            "| `dev` | no comparison | $471.54 | none |",
        ),
        (
            stack(TRIAL, head="failed", head_problem="training.nodes is 0", plan=None),
            Says("Fails", "no", "dev", "no", "compare"),
            "| `dev` | $471.54 | no plan |",
        ),
    ],
    ids=["new", "gone", "no base", "no plan"],
)
def test_a_stack_with_one_side_says_which(judge, made: StackEvidence, line: str, row: str) -> None:
    text = comment(judge(evidence(made)))
    assert first(text) == line
    assert f"\n{row}\n" in text


def test_why_there_is_no_plan_and_no_comparison_is_said(judge) -> None:
    failed = stack(TRIAL, head="failed", head_problem="over budget by $1.00\nTake fewer", plan=None)
    without = stack(TRIAL, {}, name="prod", base="failed", base_problem="no such zone", state=None)
    text = comment(judge(evidence(failed, without)))
    assert "**No plan**\n\n- `dev`: `over budget by $1.00 Take fewer`\n" in text
    assert "No comparison, because the base has none: `no such zone`\n" in text


def test_machines_of_a_side_without_a_plan_are_not_known(judge) -> None:
    nodes = {"train": {"type": "eks:index:ManagedNodeGroup", "instanceTypes": ["p5.48xlarge"]}}
    without = stack({**TRIAL, **nodes}, {}, base="failed", base_problem="no such zone", state=None)
    assert "| `train` | `dev` | not known | number unknown | no:" in comment(judge(evidence(without), pack=TRAINING))
    failed = stack(TRIAL, {**TRIAL, **nodes}, head="failed", head_problem="no such zone", plan=None)
    assert "| `train` | `dev` | number unknown | not known |" in comment(judge(evidence(failed), pack=TRAINING))


def test_an_update_that_the_program_refuses_is_said_beside_the_difference(judge) -> None:
    over = changed("trial", budget={"monthly": "400", "onExceed": "fail"})
    lenient = Pack(name="lenient", description="No rule about money", rules=(), mandatory=frozenset())
    text = comment(judge(evidence(stack(changed("shared", over, storageCapacity=2400))), pack=lenient))
    assert first(text) == Says("Fails", "dev", "refused", "over", "$174.00", "more")
    assert "**Refused by its own program**\n\n- `dev`: `over budget by $245.54: expected $645.54 a month" in text
    assert "(`shared`) |" in text


def test_a_price_that_is_lost_is_neither_a_saving_nor_a_pass(judge) -> None:
    found = judge(evidence(stack(changed("shared", storageType="HDD"))))
    text = comment(found)
    assert first(text) == Says("Cannot", "more", "less", "$471.54", "least", "$297.54", "no", "not", "shared", "no")
    assert "\n| `dev` | $471.54 | at least $297.54 | cannot tell | " in text
    assert "| ? `Lustre PERSISTENT_2 SSD, 125 MB/s per TiB` (`shared`) | $174.00 | no price | price lost |" in text
    assert (found.passes, json.loads(written(judgement_document(found), "json"))["verdict"]) == (True, "cannot tell")
    assert (
        "**Newly without a price, not in the total**\n\n- `aws:fsx/lustreFileSystem:LustreFileSystem` `shared`: `"
        in text
    )


def test_a_price_that_is_lost_beside_a_mandatory_finding_is_no_saving_either(judge) -> None:
    text = comment(judge(evidence(stack(changed("shared", storageType="HDD", tags={})))))
    assert first(text) == Says(
        "Fails", "1", "dev", "cannot", "more", "less", "$471.54", "least", "$297.54", "no", "not"
    )


def test_a_new_stack_with_something_unpriced_costs_at_least_what_is_known(judge) -> None:
    text = comment(judge(evidence(stack(changed("shared", storageType="HDD"), {}, base="absent", state=None))))
    assert first(text) == Says("Passes", "least", "$297.54", "more", "$0.00", "least", "$297.54", "not", "shared", "no")


def test_the_first_line_names_what_touches_the_judging(judge) -> None:
    entry = {
        "rule": "required-labels",
        "resource": "shared",
        "reason": "shared network",
        "owner": "o",
        "until": "2026-12-01",
    }
    exempt = changed("trial", UNLABELLED, exemptions=[entry])
    files = ["policies/training.py", "cost/prices/aws.csv", ".github/workflows/comment.yml", "requirements.lock"]
    text = comment(judge(evidence(stack(exempt)), files))
    assert first(text) == Says("Passes", "same", "$471.54", "no", "workflows", "exemptions")
    assert "- the lock: `requirements.lock`\n" in text
    assert "- exemption in `dev`: `required-labels` for `shared` until 2026-12-01, by `o`: `shared network`\n" in text


def test_a_change_of_prices_has_a_line_of_its_own(judge, tmp_path) -> None:
    from gpucluster.cost.prices.book import _FOLDER

    for file in _FOLDER.glob("*.csv"):
        (tmp_path / file.name).write_text(file.read_text().replace(",0.2016,", ",0.3016,"))
    text = comment(judge(evidence(stack(TRIAL)), new_book=PriceBook(today=TODAY, folder=tmp_path)))
    assert (
        "\nThis change also edits prices, which no amount here includes. "
        "Effect on the same plans, a month: `dev` +$146.00.\n" in text
    )


def test_the_same_change_gives_the_same_text_whatever_its_order(judge) -> None:
    there = stack(TWICE)
    assert there.plan is not None
    turned = {**there.plan, "steps": list(reversed(there.plan["steps"]))}
    assert comment(judge(evidence(there))) == comment(judge(evidence(there.model_copy(update={"plan": turned}))))


def many(resources: int, stacks: int) -> list[StackEvidence]:
    """Stacks of unlabelled file systems that are new and cost something each."""
    more = {
        f"fs-{number}": {**TRIAL["shared"], "tags": {}, "storageCapacity": 1200 * (number + 1)}
        for number in range(resources)
    }
    rich = changed("trial", budget={"monthly": "1000000000", "onExceed": "fail"})
    return [stack({**rich, **more}, name=f"stack-{number}") for number in range(stacks)]


@pytest.mark.parametrize(
    ("resources", "stacks"), [(300, 1), (40, 12), (3, 100)], ids=["one large stack", "many", "as many as there may be"]
)
def test_what_does_not_fit_is_counted_and_totals_come_first(judge, resources: int, stacks: int) -> None:
    rule = replace(
        required_labels.RULE,
        check=lambda stack: [Violation(one, f"`{one.name}`") for one in stack.resources if one.name.startswith("fs-")],
    )
    pack = Pack(name="each", description="Texts of their own", rules=(rule,), mandatory=frozenset({rule.name}))
    found = judge(evidence(*many(resources, stacks)), pack=pack)
    text = comment(found, elsewhere="[the job summary](https://github.com/o/r/actions/runs/1)")
    assert len(text.encode()) <= LONGEST
    shown = len(REQUIRED.findall(text))
    [left] = re.findall(r"^\| ([\d,]+) more mandatory findings? in \[the job summary\]\(", text, re.MULTILINE)
    assert shown + int(left.replace(",", "")) == len(found.mandatory) == resources * stacks
    assert first(text).startswith(f"**Fails: {resources * stacks} mandatory findings in ")
    assert text.index("**Total**" if stacks > 1 else "| `stack-0` |") < text.index("**Required changes**")
    whole = comment(found, longest=LONGEST_SUMMARY)
    assert len(REQUIRED.findall(whole)) == resources * stacks


def test_findings_that_are_alike_but_for_their_resource_are_one_row(judge) -> None:
    text = comment(judge(evidence(*many(10, 1))))
    [row] = [line for line in text.splitlines() if REQUIRED.match(line)]
    named = ", ".join(f"`fs-{number}`" for number in range(8))
    assert row == Says("`stack-0`", named, "and 2 more")
    assert first(text).startswith("**Fails: 10 mandatory findings in ")


def test_the_json_has_every_finding_and_amounts_as_text(judge) -> None:
    document = json.loads(written(judgement_document(judge(evidence(stack(UNLABELLED)))), "json"))
    [dev] = document["stacks"]
    assert (document["passes"], dev["name"], dev["cost"]["monthly"]["after"]["expected"]) == (False, "dev", "471.54")
    [finding] = dev["findings"]
    assert (finding["rule"], finding["new"], finding["monthly"]) == ("required-labels", True, "174.00")


def rehearsed(*jobs: JobEvidence, problem: str = "") -> StackEvidence:
    return stack(TRIAL).model_copy(update={"jobs": [*jobs], "jobs_problem": problem})


RUNS = JobEvidence(title="TrainJob training/good", source="jobs/good.yaml", verdict="runs", hourly="110.08")
STUCK = JobEvidence(title="Pod default/`x`", source="jobs/bad.yaml", verdict="refused", why="a pod without a queue")


def test_a_job_that_would_not_run_fails_the_change_and_is_told_with_the_words_of_who_stops_it(judge) -> None:
    found = judge(evidence(rehearsed(RUNS, STUCK)))
    text = comment(found)
    assert not found.passes
    assert first(text) == Says("Fails", "1", "not", "dev", "same", "$471.54")
    assert "**Jobs that would not run**\n\n- `` Pod default/`x` `` (`jobs/bad.yaml`) on `dev` is refused: " in text
    assert (
        "**Jobs that would run, and what their machines cost**\n\n- `TrainJob training/good`: $110.08 an hour\n" in text
    )
    [shown] = json.loads(written(judgement_document(found), "json"))["stacks"]
    assert [job["verdict"] for job in shown["jobs"]] == ["runs", "refused"]


def test_jobs_that_all_run_leave_a_calm_change_calm(judge) -> None:
    assert judge(evidence(rehearsed(RUNS))).calm


def test_jobs_that_nobody_could_rehearse_are_said_and_hold_the_change_up(judge) -> None:
    found = judge(evidence(rehearsed(problem="there is no Go")))
    assert not found.passes
    assert "- unknown on `dev`: `there is no Go`" in comment(found)


def test_what_becomes_of_the_nodes_of_pools_is_a_table_with_what_is_at_stake(judge) -> None:
    pool = {
        "type": "aws:eks/nodeGroup:NodeGroup",
        "scalingConfig": {"desiredSize": 4, "minSize": 4, "maxSize": 4},
        "instanceTypes": ["p5.48xlarge"],
        "releaseVersion": "1.35.0-20260714",
    }
    before: Resources = {**TRIAL, "train": pool}
    after = changed("train", before, releaseVersion="1.35.1-20260801")
    text = comment(judge(evidence(stack(after, before))))
    head = "| stack | pool | what happens to it | changed | at stake per hour since the last checkpoint |"
    [row] = text.split(f"{head}\n| --- | --- | --- | --- | --- |\n")[1].split("\n\n")[0].splitlines()
    assert row == (
        "| `dev` | `train`, `4 nodes of p5.48xlarge` | nodes are replaced or reimaged, one at a time; jobs on them end "
        "| `releaseVersion` | 32 GPU-hours, $220.17 |"
    )
    larger = changed("train", before, scalingConfig={"desiredSize": 5, "minSize": 5, "maxSize": 5})
    assert "Effect on nodes" not in comment(judge(evidence(stack(larger, before))))


def test_machines_of_a_foreign_component_are_the_first_table(judge) -> None:
    def nodes(number: int) -> Resources:
        sizes = {"minSize": number, "maxSize": number, "desiredSize": number}
        inputs = {"instanceTypes": ["p5.48xlarge"], "scalingConfig": sizes}
        return {**TRIAL, "train": {"type": "eks:index:ManagedNodeGroup", **inputs}}

    lines = comment(judge(evidence(stack(nodes(64), nodes(1))), pack=TRAINING)).splitlines()
    assert lines[4:10] == [
        "**GPU machines**",
        "",
        "- `dev`: `512 H100 in 1 pool: 1 not`",
        "",
        "| GPU machines | in | stack | before | after | checked by the rules |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    assert lines[10] == (
        "| `p5.48xlarge` (`H100`) | `train` | `dev` | 1 machine, 8 GPUs | 64 machines, 512 GPUs | "
        "no: `no rule reads eks:index:ManagedNodeGroup` |"
    )
    assert [line for line in lines if "64 p5.48xlarge: a program of its own" in line] != []
