"""`gpucluster guardrails pr-check`: the effect of a change on plan, cost and rules; again from a file; as a comment."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, BinaryIO, Final, Literal, TextIO, TypeVar

import click

from gpucluster.errors import Exit, InputError
from gpucluster.options import form_of, output, quiet, stack_option
from gpucluster.policies.command import PACK_HELP
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.packs.company import pack_of

if TYPE_CHECKING:
    from gpucluster.operate.pull_request.evidence import Evidence
    from gpucluster.operate.pull_request.judgement import Judgement

SUMMARY_VARIABLE: Final = "GITHUB_STEP_SUMMARY"
"""Contains the file whose text a forge shows with the run."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _judging(command: _Command) -> _Command:
    """Options for the criteria of plans."""
    for option in reversed(
        (
            click.option(
                "--pack",
                "pack_name",
                envvar="PR_CHECK_PACK",
                metavar="NAME",
                default=TRAINING.name,
                show_default=True,
                help=PACK_HELP,
            ),
            click.option(
                "--config",
                envvar="PR_CHECK_CONFIG",
                metavar="FILE",
                type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
                help="JSON file of enforcement levels and settings, as for --policy-pack-config; - for stdin.",
            ),
            click.option(
                "--prices",
                envvar="PR_CHECK_PRICES",
                metavar="FILE",
                help="CSV file of your own prices; overrides GPUCLUSTER_PRICES and the book.",
            ),
            click.option(
                "--only-new",
                envvar="PR_CHECK_ONLY_NEW",
                is_flag=True,
                help="Fail only for mandatory findings that the base does not have.",
            ),
        )
    ):
        command = option(command)
    return command


_form = form_of("markdown", "json")
_reports = click.option(
    "--reports",
    envvar="PR_CHECK_REPORTS",
    metavar="FOLDER",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the cost report of each stack to FOLDER, as STACK.html, .json and .csv. They show spend.",
)


@click.group("pr-check", invoke_without_command=True)
@click.option(
    "--base", envvar="PR_CHECK_BASE", metavar="REVISION", help="Revision that the change merges into.  [default: main]"
)
@stack_option("Stack to check; repeatable.  [default: all]", envvar="PR_CHECK_STACKS", multiple=True, names=("stacks",))
@click.option(
    "--evidence",
    type=click.File("w", lazy=True),
    metavar="FILE",
    help="Write the evidence of the previews to FILE, for `render` and `comment`.",
)
@click.option(
    "--setup",
    envvar="PR_CHECK_SETUP",
    default="make setup",
    show_default=True,
    metavar="COMMAND",
    help="Command that creates the base's environment if its locked packages differ.",
)
@click.option(
    "--jobs",
    envvar="PR_CHECK_JOBS",
    multiple=True,
    metavar="GLOB",
    help="Job files to rehearse on each stack's live cluster, such as 'jobs/*.yaml'; repeatable.",
)
@click.option(
    "--policy-pack",
    "packs",
    envvar="PR_CHECK_POLICY_PACKS",
    multiple=True,
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Further policy pack of any SDK, run by the engine on both sides; repeatable.",
)
@_judging
@_reports
@_form
@output
@quiet
@click.pass_context
def command(
    context: click.Context,
    base: str | None,
    stacks: tuple[str, ...],
    evidence: TextIO | None,
    setup: str,
    jobs: tuple[str, ...],
    packs: tuple[Path, ...],
    pack_name: str,
    config: Path | None,
    prices: str | None,
    only_new: bool,
    reports: Path | None,
    form: Literal["markdown", "json"],
    output: TextIO,
    quiet: bool,
) -> None:
    """Check the change of a pull request.

    Prints one comment: the effect of the change on plan, cost and rules. The change is the working tree, committed or
    not, since it left --base. The sandbox builds the base and plans the change on its state, so that replacements and
    deletions show. Pack, --config and prices are the base's. The file in GITHUB_STEP_SUMMARY, if set, gets the whole
    text.

    Exit code 0: also if the change of cost is unknown. 1: mandatory findings, or a job of --jobs that would not
    run. 2: also a stack of the change without a plan.
    """
    if context.invoked_subcommand is not None:
        return
    from gpucluster.operate.pull_request.evidence import LARGEST
    from gpucluster.operate.pull_request.previews import evidence_of
    from gpucluster.operate.pull_request.terms import pack_of_base, terms_of

    def say(text: str) -> None:
        if not quiet:
            click.echo(text, err=True)

    for file in filter(None, (evidence, output)):
        if not Path(file.name).parent.is_dir():
            raise InputError(f"{Path(file.name).parent} is not a folder; create it, or write {file.name} elsewhere")
    pack = pack_of_base(pack_name, base or "main", context.with_resource(TemporaryDirectory(prefix="pr-check-pack-")))
    terms = terms_of(pack, pack_name, config, prices, only_new=only_new, base=base or "main")
    found = evidence_of(Path.cwd(), base or "main", stacks=stacks, setup=setup, say=say, jobs=jobs, packs=packs)
    if evidence is not None:
        text = found.model_dump_json()
        if len(text.encode()) > LARGEST:
            raise InputError(f"{evidence.name} would have more than {LARGEST:,} bytes; check fewer stacks at once")
        evidence.write(text)
    _present(terms.judge(found, found.changed_files, own_book=True), form, output, reports)


@command.command("render")
@click.argument("file", type=click.File("rb"), help="File written by --evidence; - for stdin.")
@_judging
@_reports
@_form
@output
def render(
    file: BinaryIO,
    pack_name: str,
    config: Path | None,
    prices: str | None,
    only_new: bool,
    reports: Path | None,
    form: Literal["markdown", "json"],
    output: TextIO,
) -> None:
    """Check the evidence of a change again.

    Uses the rules and prices installed here. Runs no code of the change.
    """
    from gpucluster.operate.pull_request.terms import terms_of

    terms = terms_of(pack_of(pack_name), pack_name, config, prices, only_new=only_new)
    found = _evidence(file)
    _present(terms.judge(found, found.changed_files), form, output, reports)


@command.command("comment")
@click.argument("file", type=click.File("rb"), help="File written by --evidence; - for stdin.")
@click.option(
    "--repository",
    envvar="GITHUB_REPOSITORY",
    required=True,
    metavar="OWNER/NAME",
    show_envvar=True,
    help="Repository of the pull request.",
)
@click.option(
    "--head-repository",
    metavar="OWNER/NAME",
    envvar="PR_HEAD_REPOSITORY",
    required=True,
    show_envvar=True,
    help="Repository of the change.",
)
@click.option(
    "--head-branch",
    metavar="NAME",
    envvar="PR_HEAD_BRANCH",
    required=True,
    show_envvar=True,
    help="Branch of the change.",
)
@click.option(
    "--head-sha", metavar="SHA", envvar="PR_HEAD_SHA", required=True, show_envvar=True, help="Commit that was checked."
)
@click.option(
    "--run",
    metavar="N",
    type=click.IntRange(min=0),
    envvar="PR_RUN_ID",
    required=True,
    show_envvar=True,
    help="Id of the workflow run.",
)
@click.option(
    "--attempt",
    metavar="N",
    type=click.IntRange(min=1),
    envvar="PR_RUN_ATTEMPT",
    default=1,
    show_envvar=True,
    help="Attempt of the workflow run.",
)
@click.option(
    "--api",
    metavar="URL",
    envvar="GITHUB_API_URL",
    default="https://api.github.com",
    show_default=True,
    show_envvar=True,
    help="URL of the API.",
)
@click.option(
    "--server",
    metavar="URL",
    envvar="GITHUB_SERVER_URL",
    default="https://github.com",
    show_default=True,
    show_envvar=True,
    help="URL of the web pages.",
)
@click.option(
    "--author",
    metavar="NAME",
    default="github-actions[bot]",
    show_default=True,
    help="Author of the comment: the user of the token.",
)
@_judging
def post_comment(
    file: BinaryIO,
    repository: str,
    head_repository: str,
    head_branch: str,
    head_sha: str,
    run: int,
    attempt: int,
    api: str,
    server: str,
    author: str,
    pack_name: str,
    config: Path | None,
    prices: str | None,
    only_new: bool,
) -> None:
    """Write the comment on a GitHub pull request.

    Updates the comment of an earlier run, if there is one. FILE can be untrusted: the rules and prices installed here
    judge it again, and the event (--head-...) determines the pull request. The token comes from GITHUB_TOKEN. Runs no
    code of the change.

    Exit code 0: for any verdict. 2: also a token without permission. 3: also if GitHub does not answer.
    """
    from gpucluster.core.documents.document import LONGEST
    from gpucluster.operate.pull_request.comment import comment
    from gpucluster.operate.pull_request.github import Api, Marker, Origin, changed_files, find_pull, post
    from gpucluster.operate.pull_request.terms import terms_of

    token = os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise InputError("GITHUB_TOKEN is empty; set it to the token of the workflow")
    terms = terms_of(pack_of(pack_name), pack_name, config, prices, only_new=only_new)
    found = _evidence(file)
    if found.head != head_sha:
        raise InputError(f"the file is about another commit than {head_sha}, the commit of the run")
    client = Api(api, repository, token)
    pull = find_pull(client, Origin(repository=head_repository, branch=head_branch, commit=head_sha))
    if pull is None:
        click.echo(f"No open pull request is at {head_sha[:12]} any more: nothing to write.", err=True)
        return
    judged = terms.judge(found, changed_files(client, pull))
    elsewhere = f"[the job summary]({server.rstrip('/')}/{repository}/actions/runs/{run})"
    marker = Marker(head=head_sha, run=run, attempt=attempt)
    text = comment(judged, longest=LONGEST - len(str(marker)) - 2, elsewhere=elsewhere)
    done = post(client, pull, text, marker, author=author)
    _summarise(judged)
    click.echo(f"Comment on pull request {pull.number}: {done}.", err=True)


def _evidence(file: BinaryIO) -> Evidence:
    from gpucluster.operate.pull_request.evidence import LARGEST, read_evidence

    return read_evidence(file.read(LARGEST + 1), "stdin" if file.name == "<stdin>" else str(file.name))


def _present(judged: Judgement, form: Literal["markdown", "json"], output: TextIO, reports: Path | None) -> None:
    from gpucluster.core.documents.formats import write
    from gpucluster.operate.pull_request.comment import LONGEST_SUMMARY, judgement_document
    from gpucluster.operate.pull_request.judgement import write_reports

    if reports is not None:
        write_reports(judged, reports)
    where = "the job summary" if os.environ.get(SUMMARY_VARIABLE) else "the output of --format json"
    write(judgement_document(judged, longest=LONGEST_SUMMARY, elsewhere=where), form, output)
    _summarise(judged)
    if judged.without_plan:
        raise SystemExit(Exit.INPUT)
    if not judged.passes:
        raise SystemExit(Exit.FINDINGS)


def _summarise(judged: Judgement) -> None:
    """Writes the job summary, and what was not checked to the log."""
    from gpucluster.operate.pull_request.comment import LONGEST_SUMMARY, comment

    unheard = dict.fromkeys(one for stack in judged.stacks for one in stack.vendors.unheard)
    for one in unheard:
        click.echo(f"Not checked against the vendors' schemas: {one}", err=True)
    if file := os.environ.get(SUMMARY_VARIABLE):
        with Path(file).open("a", encoding="utf-8") as summary:
            summary.write(comment(judged, longest=LONGEST_SUMMARY, elsewhere="the evidence") + "\n")
