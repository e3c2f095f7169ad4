"""`gpucluster guardrails pr-check`: from a file, as a comment, and what it says of input it can't use."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from gpucluster.cli import main
from gpucluster.core.program.resources import Resources
from gpucluster.cost.documents.report.report_json import report_schema
from gpucluster.cost.prices.book import _FOLDER
from gpucluster.errors import InputError
from gpucluster.operate.judges.verdicts import Remark
from gpucluster.operate.pull_request import judgement, terms
from gpucluster.operate.pull_request.comment_json import judgement_schema
from gpucluster.operate.pull_request.evidence import PriceFiles
from gpucluster.operate.pull_request.judgement import Vendors
from tests.cases import cases
from tests.gpucluster.operate.pull_request.conftest import HEAD, TRIAL, changed, evidence, stack
from tests.gpucluster.operate.pull_request.github.conftest import GitHub, Refusal, github
from tests.gpucluster.operate.pull_request.github.test_pulls import pull
from tests.says import Says

__all__ = ["github"]

UNLABELLED = changed("shared", tags={})
BOOK = {file.name: file.read_text() for file in _FOLDER.glob("*.csv")}


@dataclass(frozen=True)
class Done:
    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in an empty folder, without anything that a CI sets."""
    monkeypatch.chdir(tmp_path)
    for name in [*os.environ]:
        if name.startswith(("GITHUB_", "PR_")):
            monkeypatch.delenv(name)

    (tmp_path / "rules.json").write_text(json.dumps({"all": "disabled", "required-labels": "mandatory"}))
    monkeypatch.setenv("PR_CHECK_CONFIG", "rules.json")  # a new rule changes nothing here
    monkeypatch.setattr(terms, "vendors_of", lambda _: Vendors())  # nor does a vendor's schema, which takes seconds

    def run(*args: str, env: dict[str, str] | None = None) -> Done:
        for name, value in (env or {}).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(sys, "argv", ["gpucluster", "guardrails", "pr-check", *args])
        capsys.readouterr()
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        done = capsys.readouterr()
        return Done(code, done.out, done.err)

    return run


@pytest.fixture
def file(tmp_path: Path) -> Callable[..., str]:
    def write(*stacks: Any, **fields: Any) -> str:
        (tmp_path / "pr-check.json").write_text(evidence(*stacks, **fields).model_dump_json())
        return "pr-check.json"

    return write


def event(hub: GitHub, **changes: str) -> dict[str, str]:
    """What the workflow gives in its environment."""
    return {
        "GITHUB_TOKEN": "token",
        "GITHUB_API_URL": hub.url,
        "GITHUB_REPOSITORY": "acme/clusters",
        "PR_HEAD_REPOSITORY": "mallory/clusters",
        "PR_HEAD_BRANCH": "nodes",
        "PR_HEAD_SHA": HEAD,
        "PR_RUN_ID": "20",
        **changes,
    }


@pytest.mark.parametrize(
    ("after", "code", "line"),
    [(TRIAL, 0, Says("dev", "$471.54", "no")), (UNLABELLED, 1, Says("Fails", "1", "dev", "same", "$471.54"))],
)
def test_a_file_is_judged_again_and_the_exit_code_is_the_verdict(run: Run, file, after, code: int, line: str) -> None:
    done = run("render", file(stack(after)))
    assert (done.code, done.out.splitlines()[2], done.err) == (code, line, "")


def test_what_no_vendor_s_schema_was_heard_on_is_in_the_log_and_not_in_the_comment(
    run: Run, file, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "vendors_of", lambda _: Vendors(unheard=["aws: pip install 'cfn-lint'"]))
    done = run("render", file(stack(TRIAL)))
    assert done.err == "Not checked against the vendors' schemas: aws: pip install 'cfn-lint'\n"
    assert "cfn-lint" not in done.out


def test_without_a_plan_the_exit_code_says_input(run: Run, file) -> None:
    done = run("render", file(stack(TRIAL, head="failed", head_problem="nodes is 0", plan=None)))
    assert (done.code, done.out.splitlines()[2]) == (2, Says("Fails", "no", "dev", "no", "compare"))


def test_a_pack_that_stops_nothing_passes(run: Run, file) -> None:
    done = run("render", file(stack(UNLABELLED)), "--pack", "baseline", env={"PR_CHECK_CONFIG": ""})
    assert done.code == 0


def test_only_new_findings_fail_if_that_is_the_switch(run: Run, file) -> None:
    found = file(stack(UNLABELLED, UNLABELLED))
    codes = [run("render", found).code, run("render", found, "--only-new").code]
    codes += [run("render", found, env={"PR_CHECK_ONLY_NEW": value}).code for value in ("true", "false", "")]
    assert codes == [1, 0, 0, 1, 1]
    document = json.loads(run("render", found, "--only-new", "--format", "json").out)
    assert (document["only_new"], document["passes"], document["stacks"][0]["findings"][0]["new"]) == (
        True,
        True,
        False,
    )


def test_everything_goes_to_the_job_summary_too(run: Run, file, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    done = run("render", file(stack(UNLABELLED)), env={"GITHUB_STEP_SUMMARY": str(summary)})
    assert summary.read_text() == f"before\n{done.out}"


def test_cost_reports_are_written_only_if_a_folder_is_named(run: Run, file, tmp_path: Path) -> None:
    found = file(stack(UNLABELLED))
    before = {*tmp_path.iterdir()}
    assert run("render", found, env={"PR_CHECK_REPORTS": ""}).code == 1
    assert {*tmp_path.iterdir()} == before
    assert run("render", found, env={"PR_CHECK_REPORTS": "cost/reports"}).code == 1
    written = {path.name: path.read_text() for path in (tmp_path / "cost/reports").iterdir()}
    assert {*written} == {"dev.html", "dev.json", "dev.csv"}
    jsonschema.validate(json.loads(written["dev.json"]), report_schema())
    assert written["dev.html"].startswith("<!doctype html>")
    total = json.loads(written["dev.json"])["monthly"]["expected"]
    assert sum(Decimal(row["monthly"] or 0) for row in csv.DictReader(written["dev.csv"].splitlines())) == Decimal(
        total
    )


def test_a_folder_for_reports_that_can_not_be_written_is_one_error(run: Run, file, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    done = run("render", file(stack(UNLABELLED)), "--reports", "taken/here")
    assert (done.code, done.err.strip()) == (
        2, "error: taken/here can't be written: Not a directory; give another --reports"
    )  # fmt: skip


def test_the_form_for_machines_is_json(run: Run, file) -> None:
    document = json.loads(run("render", file(stack(UNLABELLED)), "--format", "json").out)
    jsonschema.validate(document, judgement_schema())
    assert document["passes"] is False


def test_a_price_book_of_the_change_that_can_not_be_used_fails_and_hides_nothing(run: Run, file) -> None:
    broken = PriceFiles(before=BOOK, after={**BOOK, "aws.csv": "provider,region\n1,2\n"})
    done = run("render", file(stack(TRIAL), prices=broken))
    assert done.code == 1
    assert done.out == Says("Fails", "price book", "same", "$471.54")


@pytest.mark.parametrize("text", ["", "{}", "not json"])
def test_a_file_that_is_none_is_refused_in_lines(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "pr-check.json").write_text(text)
    done = run("render", "pr-check.json")
    assert (done.code, done.out) == (2, "")
    assert all(line.startswith("error: pr-check.json: ") for line in done.err.splitlines())


RULE = """
from gpucluster.rules import Severity, StackRule, Violation

RULE = StackRule(name="{}", title="t", why="w", fix="f", reads="r", severity=Severity.LOW, check=lambda _: ())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A git repository with a pack in its base, and a change of it in the working tree."""
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme/rule.py").write_text(RULE.format("of-the-base"))
    for command in (["init", "-qb", "main"], ["add", "-A"], ["commit", "-qm", "first"]):
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *settings, *command], cwd=tmp_path, check=True)
    (tmp_path / "acme/rule.py").write_text(RULE.format("of-the-change"))
    return tmp_path


def test_a_folder_of_the_repository_judges_as_the_base_has_it(run: Run, project: Path, monkeypatch) -> None:
    """So that a change does not edit its own judge."""
    seen: list[Any] = []

    def judge(self: terms.Terms, *_: Any, **__: Any) -> Any:
        seen.append(([rule.name for rule in self.pack.rules if rule.name.startswith("of-the-")], self.own_files))
        raise InputError("enough")

    monkeypatch.setenv("PR_CHECK_CONFIG", "")
    monkeypatch.setattr(terms.Terms, "judge", judge)
    monkeypatch.setattr("gpucluster.operate.pull_request.previews.evidence_of", lambda *_, **__: evidence(stack(TRIAL)))
    assert run("--pack", "acme").code == 2
    shutil.rmtree(project / "acme")
    assert run("--pack", "acme").code == 2
    assert seen == [(["of-the-base"], ("acme",))] * 2


def test_the_json_has_the_gpu_machines_of_both_sides_as_guardrails_check_has_them(run: Run, file) -> None:
    [group] = [name for name, of in TRIAL.items() if of["type"] == "aws:eks/nodeGroup:NodeGroup"]
    one, more = (changed(group, instanceTypes=[kind]) for kind in ("p5.4xlarge", "p5.48xlarge"))
    document = json.loads(run("render", file(stack(more, before=one)), "--format", "json").out)
    jsonschema.validate(document, judgement_schema())
    [found] = document["stacks"][0]["machines"]
    sides = [(side["resource"], side["machine"], side["nodes"], side["gpus"]) for side in found.values()]
    assert (document["schema_minor"], sides) == (1, [(group, "p5.4xlarge", 2, 2), (group, "p5.48xlarge", 2, 16)])
    [new] = json.loads(run("render", file(stack(one)), "--format", "json").out)["stacks"][0]["machines"]
    assert (new["before"], new["after"]["machine"]) == (None, "p5.4xlarge")


def test_settings_in_the_repository_are_those_of_the_base(run: Run, project: Path, monkeypatch) -> None:
    """So that a change neither edits nor brings its own judge; stdin and other files are read as they are."""
    seen: list[Any] = []

    def judge(self: terms.Terms, *_: Any, **__: Any) -> Any:
        seen.append((self.settings.levels["budget"], self.own_files))
        raise InputError("enough")

    monkeypatch.setattr(terms.Terms, "judge", judge)
    monkeypatch.setattr("gpucluster.operate.pull_request.previews.evidence_of", lambda *_, **__: evidence(stack(TRIAL)))
    (project / "levels.json").write_text('{"budget": "mandatory"}')
    done = run("--config", "levels.json")
    assert (done.code, done.err) == (
        2,
        Says("--config is 'levels.json'", "the base main does not have", "merge it first"),
    )
    for command in (["add", "levels.json"], ["commit", "-qm", "second"]):
        settings = ("-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false")
        subprocess.run(["git", *settings, *command], cwd=project, check=True)
    (project / "levels.json").write_text('{"budget": "disabled"}')
    run("--config", "levels.json")
    (project / "levels.json").unlink()
    run("--config", "levels.json")
    outside = project.parent / f"{project.name}-outside.json"
    outside.write_text('{"budget": "disabled"}')
    run("--config", str(outside))
    monkeypatch.setattr(sys, "stdin", io.StringIO('{"budget": "disabled"}'))
    run("--config", "-")
    assert seen == [*[("mandatory", ("levels.json",))] * 2, *[("disabled", ())] * 2]


def test_a_folder_that_only_the_change_has_is_refused(run: Run, project: Path) -> None:
    (project / "acme").rename(project / "new")
    done = run("--pack", "new")
    assert (done.code, done.err.splitlines()) == (
        2,
        ["error: --pack is 'new', which the base main does not have: no change brings its own judge; merge it first"],
    )
    assert run("--pack", "nowhere").err == Says("--pack is 'nowhere'", "a folder with rules")


def test_a_folder_outside_of_the_repository_judges_as_it_is(run: Run, file, project: Path) -> None:
    """So does one that judges evidence, which runs on the default branch."""
    (project / "acme/rule.py").write_text("RULE = 1\n")
    done = run("render", file(stack(TRIAL)), "--pack", "acme")
    assert (done.code, done.err) == (2, Says("acme/rule.py has no RULE"))


@cases
def test_input_that_can_not_be_used_is_said_in_a_line(run: Run, args: tuple[str, ...], said: str) -> None:
    Path("odd.json").write_text('{"budgt": "advisory"}')
    done = run(*args)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_the_comment_is_written_from_what_the_forge_says(run: Run, file, github: GitHub) -> None:
    github.pulls = [pull()]
    github.files = [{"filename": "policies/rules/budget/__init__.py"}]
    done = run("comment", file(stack(UNLABELLED), changed_files=["README.md"]), env=event(github))
    assert (done.code, done.out, done.err) == (0, "", "Comment on pull request 7: created.\n")
    [made] = github.comments
    assert made["body"].splitlines()[2] == Says("Fails", "1", "dev", "same", "$471.54")
    assert made["body"].endswith(f"<!-- gpucluster pr-check head={HEAD} run=20.1 -->")
    assert run("comment", "pr-check.json", env=event(github, PR_RUN_ID="21")).err.endswith("7: unchanged.\n")


def test_a_pull_request_that_has_moved_on_gets_no_comment(run: Run, file, github: GitHub) -> None:
    done = run("comment", file(stack(TRIAL)), env=event(github))
    assert (done.code, done.err) == (0, f"No open pull request is at {HEAD[:12]} any more: nothing to write.\n")
    assert github.written() == []


def test_what_the_vendors_schemas_refuse_is_part_of_it(run: Run, file, monkeypatch: pytest.MonkeyPatch) -> None:
    def vendors_of(resources: Resources) -> Vendors:
        shared = next(one for one in resources if one.name == "shared")
        remark = Remark("storageCapacity", "too small")
        return Vendors(refusals=[judgement.Refusal(resource=shared, judge="aws", remark=remark)])

    path = file(stack(TRIAL))
    monkeypatch.setattr(terms, "vendors_of", vendors_of)
    done = run("render", path)
    assert done.code == 0
    assert "`shared` (`aws:fsx/lustreFileSystem:LustreFileSystem`): `storageCapacity`: `too small`\n" in done.out


def test_a_comment_as_long_as_github_takes_is_never_longer(run: Run, file, github: GitHub) -> None:
    github.pulls = [pull()]
    wrong = {name: {**TRIAL["shared"], "tags": tags} for name, tags in (("bare", {}), ("other", {"team": "sales"}))}
    many = [stack({**TRIAL, **wrong}, name=f"stack-{number}") for number in range(100)]
    assert run("comment", file(*many), env=event(github)).code == 0
    body = github.comments[0]["body"]
    assert 60_000 < len(body.encode()) <= 65_536
    assert "more mandatory findings in [the job summary](https://github.com/acme/clusters/actions/runs/20)" in body


@pytest.mark.parametrize(
    ("changes", "refusal", "code", "said"),
    [
        ({"GITHUB_TOKEN": ""}, None, 2, "GITHUB_TOKEN is empty; set it to the token of the workflow"),
        (
            {"PR_HEAD_SHA": "c" * 40},
            None,
            2,
            f"the file is about another commit than {'c' * 40}, the commit of the run",
        ),
        ({}, Refusal("POST", 403, {"message": "Resource not accessible"}), 2, "the token needs `pull-requests: write`"),
        ({}, Refusal("POST", 422, {"message": "Validation Failed"}), 3, "422: Validation Failed"),
    ],
    ids=["no token", "another commit", "403", "422"],
)
def test_what_goes_wrong_is_one_line_and_an_exit_code(
    run: Run, file, github: GitHub, changes: dict[str, str], refusal: Refusal | None, code: int, said: str
) -> None:
    github.pulls = [pull()]
    github.refusals += [refusal] if refusal else []
    done = run("comment", file(stack(TRIAL)), env=event(github, **changes))
    assert (done.code, done.out) == (code, "")
    assert said in done.err
    assert len(done.err.splitlines()) == 1
    assert "token\n" not in done.err
