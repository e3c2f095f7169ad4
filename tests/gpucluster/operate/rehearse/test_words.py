"""A rehearsal as people and programs read it."""

from __future__ import annotations

import json
from decimal import Decimal

from gpucluster.operate.rehearse.document import as_json, as_markdown, as_text
from gpucluster.operate.rehearse.outcome import Outcome, Place, Verdict, refused
from gpucluster.operate.rehearse.report import Job, Machines, Report
from tests.gpucluster.operate.rehearse.objects import manifest
from tests.says import Says

RUNS = Job(
    outcome=Outcome(
        manifest=manifest(),
        verdict=Verdict.RUNS,
        queue="training",
        admitted=True,
        places=(
            Place(pod="job-0", node="a", waits="", gpus=8, slices=""),
            Place(pod="job-1", node="b", waits="", gpus=8, slices=""),
        ),
    ),
    machines=(
        Machines(
            machine_type="p5.48xlarge",
            count=2,
            gpus=16,
            all_gpus=16,
            purchase="on_demand",
            each=Decimal("55.04"),
            source="a list",
            as_of="2026-10-10",
        ),
    ),
    switches={"a": "nn-1", "b": "nn-1"},
)
REFUSED = Job(outcome=refused(manifest("Pod"), 'pods "job" is forbidden: no queue'), machines=(), switches={})
UNPRICED = Job(
    outcome=Outcome(
        manifest=manifest("Job"),
        verdict=Verdict.RUNS,
        places=(Place(pod="job-2", node="c", waits="", gpus=1, slices=""),),
    ),
    machines=(Machines(machine_type="m1", count=1, gpus=1, all_gpus=1, unknown="nobody knows", elastic=True),),
    switches={},
)


def test_a_person_reads_where_it_runs_and_what_that_costs() -> None:
    assert as_text(Report(stack="trial", jobs=(RUNS, REFUSED))) == (
        "TrainJob training/job would run\n"
        "  queue     training: admitted\n"
        "  pods      job-0 on a, switch nn-1\n"
        "            job-1 on b, switch nn-1\n"
        "  machines  2 x p5.48xlarge on demand, 16 of 16 GPUs: $110.08 an hour ($55.04 each), a list, 2026-10-10; they "
        "run anyway, and are in the stack's bill\n"
        "\n"
        "Pod training/job is refused\n"
        '  why       pods "job" is forbidden: no queue\n'
        "\n"
        "Machines per hour: $110.08, list prices in USD before tax and discounts\n"
        "All objects were deleted again. No image was pulled and no program ran."
    )


def test_a_sum_with_an_unknown_price_is_unknown() -> None:
    report = Report(stack="trial", jobs=(RUNS, UNPRICED))
    assert report.hourly is None
    assert as_text(report) == Says("1", "m1", "1", "1", "GPUs", "unknown")
    assert "Machines per hour: unknown" in as_text(report)


def test_a_comment_quotes_the_words_of_others_as_code() -> None:
    shown = as_markdown(Report(stack="trial", jobs=(RUNS, REFUSED)))
    assert shown.splitlines()[0] == "**Jobs on `trial`**: 1 of 2 would run"
    assert '  - why: `pods "job" is forbidden: no queue`' in shown


def test_money_in_json_is_text_and_what_nobody_knows_is_null() -> None:
    document = json.loads(as_json(Report(stack="trial", jobs=(RUNS, UNPRICED))))
    assert (document["would_run"], document["hourly"]) == (True, None)
    assert [job["machines"][0]["hourly"] for job in document["jobs"]] == ["110.08", None]


def test_what_is_refused_or_waits_would_not_run_and_what_cannot_be_told_is_not_held_against_a_job() -> None:
    verdicts = {
        verdict: Report(
            stack="s", jobs=(Job(outcome=Outcome(manifest=manifest(), verdict=verdict), machines=(), switches={}),)
        ).would_run
        for verdict in Verdict
    }
    assert verdicts == {Verdict.RUNS: True, Verdict.REFUSED: False, Verdict.WAITS: False, Verdict.UNKNOWN: True}
