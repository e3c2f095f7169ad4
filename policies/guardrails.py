"""`guardrails`: the rules of the packs, run on a plan or state file, listed and explained."""

from __future__ import annotations

import difflib
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Literal, TextIO

import click

from gpucluster.policies import clock
from gpucluster.policies.message import page_of
from gpucluster.policies.packs import PACKS, TRAINING
from gpucluster.policies.plugins import WithPlugins
from gpucluster.policies.rule import Enforcement
from gpucluster.policies.settings import BadSettings, Settings, read_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpucluster.cost.resources import Resources
    from gpucluster.policies.changes import Changes
    from gpucluster.policies.pack import Pack
    from gpucluster.policies.report import Report
    from gpucluster.policies.rule import Rule

__all__ = ["command", "main"]

FINDINGS, INPUT, CRASH = 1, 2, 3
"""Exit codes: mandatory findings; the user's input; our fault."""

Form = Literal["table", "json"]

_form = click.option("--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True)
_pack = click.option(
    "--pack",
    "pack_name",
    type=click.Choice(list(PACKS)),
    default=TRAINING.name,
    show_default=True,
    help="Same rules; baseline stops nothing, production everything.",
)


def _version() -> str:
    try:
        return version("gpucluster")
    except PackageNotFoundError:
        return "unknown"


@click.group("guardrails", cls=WithPlugins, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(_version(), prog_name="guardrails")
def command() -> None:
    """Rules for GPU training clusters: what Pulumi runs with `--policy-pack policies`, also on files.

    The packs baseline and production are in policies/packs.
    """


@command.command("list")
@_form
@_pack
def list_rules(form: Form, pack_name: str) -> None:
    """The rules with their severity and what a finding does."""
    pack = PACKS[pack_name]
    if form == "json":
        click.echo(json.dumps({"schema_version": 1, "rules": [_as_json(rule, pack) for rule in pack.rules]}, indent=2))
        return
    rows = [(rule.name, rule.severity.value, pack.enforcement(rule).value, rule.title) for rule in pack.rules]
    rows.insert(0, ("NAME", "SEVERITY", "ENFORCEMENT", "TITLE"))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for row in rows:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        click.echo("  ".join((*padded, row[3])))
    click.echo("\nNext: gpucluster guardrails explain NAME")


@command.command()
@click.argument("name")
@_form
@_pack
@click.option("--example", type=click.Choice(["pass", "fail"]), help="Print its example as a plan file instead.")
def explain(name: str, form: Form, pack_name: str, example: Literal["pass", "fail"] | None) -> None:
    """Why a rule is there and what to change when it finds something."""
    pack = PACKS[pack_name]
    rule = next((rule for rule in pack.rules if rule.name == name), None)
    if rule is None:
        near = difflib.get_close_matches(name, [rule.name for rule in pack.rules], n=1, cutoff=0.4)
        hint = f"did you mean `{near[0]}`?" if near else "`gpucluster guardrails list` shows all of them"
        raise click.BadParameter(f"rule `{name}` is not known; {hint}", param_hint="NAME")
    if example is not None:
        from gpucluster.policies.examples import example_of, plan_of

        found = example_of(name)
        if found is None:
            raise click.BadParameter(f"rule `{name}` has no example", param_hint="--example")
        click.echo(json.dumps(plan_of(found, fails=example == "fail"), indent=2))
        return
    if form == "json":
        click.echo(json.dumps(_as_json(rule, pack), indent=2))
        return
    click.echo(f"{rule.name}: {rule.title}")
    click.echo(f"  severity: {rule.severity.value}, {pack.enforcement(rule).value}")
    click.echo(f"  why:      {rule.why}")
    click.echo(f"  fix:      {rule.fix}")
    click.echo(f"  reads:    {rule.reads}")
    click.echo(f"  page:     {page_of(rule)}")
    for framework in rule.frameworks:
        click.echo(f"  see:      {framework.name}, {framework.specification}\n            {framework.reference}")


@command.command()
@click.argument("files", type=click.File(encoding="utf-8"), nargs=-1, metavar="FILE...")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "sarif", "junit"]),
    default="table",
    show_default=True,
    help="json has a schema, docs/guardrails-check.schema.json; sarif is 2.1.0.",
)
@click.option(
    "--output", type=click.File("w", encoding="utf-8", lazy=True), default="-", help="Write here, not to stdout."
)
@_pack
@click.option("--config", type=click.File(encoding="utf-8"), help="Levels and settings, as for --policy-pack-config.")
@click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)
@click.option("--quiet", is_flag=True, help="Nothing but findings.")
def check(
    files: tuple[TextIO, ...],
    form: Literal["table", "json", "sarif", "junit"],
    output: TextIO,
    pack_name: str,
    config: TextIO | None,
    color: Literal["auto", "always", "never"],
    quiet: bool,
) -> None:
    """Hold FILES (none or -: stdin) against the rules: `pulumi preview --json --show-sames` or `pulumi stack export`.

    Each file is a stack of its own. Rules about what is deleted or replaced run on plans only. Exit code 0, 1 with
    mandatory findings, 2 input, 3 a fault of this tool.
    """
    del color  # the report has no colour; the option is there because every command of ours takes it
    from gpucluster.policies.check import check_stack
    from gpucluster.policies.report import Report

    pack = PACKS[pack_name]
    settings = read_settings(config.read(), pack.rules) if config else Settings()
    today = clock.today()
    read = _read(files or (sys.stdin,))
    report = Report(
        pack=pack.name,
        files=[check_stack(*one, pack=pack, settings=settings, today=today) for one in read],
        today=today,
        not_run=pack.change_rules if any(changes is None for _, _, changes in read) else (),
    )
    if text := _written(report, form, closing=not quiet):
        output.write(text + "\n")
    if report.count(Enforcement.MANDATORY):
        raise SystemExit(FINDINGS)


@command.command("pack")
@click.argument("name", type=click.Choice(list(PACKS)), default=TRAINING.name)
def pack_command(name: str) -> None:
    """Print the folder of a pack, for `pulumi preview --policy-pack "$(guardrails pack)"`.

    NAME is training, unless one is given. The pack runs in the environment that runs this command.
    """
    from gpucluster.policies.pack_folder import pack_folder
    from gpucluster.sandbox.cache import UnwritableCache

    try:
        click.echo(pack_folder(name))
    except UnwritableCache as error:
        raise click.ClickException(str(error)) from None


@command.group()
def config() -> None:
    """The configuration file of a pack."""


@config.command("check")
@click.argument("files", type=click.File(encoding="utf-8"), nargs=-1, metavar="FILE...")
@_pack
@click.option("--quiet", is_flag=True, help="Nothing but what is wrong.")
def config_check(files: tuple[TextIO, ...], pack_name: str, quiet: bool) -> None:
    """Hold FILES (none or -: stdin), as given to --policy-pack-config, against the rules of a pack and their settings.

    The engine passes over rules and settings it does not know. Exit code 0, 2 with what is wrong, line by line.
    """
    pack = PACKS[pack_name]
    problems: list[str] = []
    for file in files or (sys.stdin,):
        name = f"{file.name}: " if len(files) > 1 else ""
        try:
            settings = read_settings(file.read(), pack.rules)
        except BadSettings as error:
            problems += [f"{name}{line}" for line in str(error).splitlines()]
            continue
        if not quiet:
            own = f"{len(settings.levels)} with a level of their own"
            click.echo(f"{name}{len(settings.configs)} rules configured, {own}; all known.")
    if problems:
        raise BadSettings("\n".join(problems))
    if not quiet:
        given = files[0].name if files else "FILE"
        folder = f"$(guardrails pack {pack.name})"
        click.echo(f'Next: pulumi preview --policy-pack "{folder}" --policy-pack-config {given}')


def _read(files: Sequence[TextIO]) -> list[tuple[str, Resources, Changes | None]]:
    """Name, resources and changes of each file; NotReadable with a line for each that cannot be read."""
    from gpucluster.cost.sources import NotReadable
    from gpucluster.cost.sources.files import read_file
    from gpucluster.policies.changes import Changes

    read: list[tuple[str, Resources, Changes | None]] = []
    problems: list[str] = []
    for file in files:
        name = "stdin" if file.name == "<stdin>" else file.name
        try:
            found = read_file(file.read(), name)
            changes = Changes(ended=found.ended, before=found.standing(), after=found.resources)
            read.append((name, found.resources, changes if found.is_plan else None))
        except NotReadable as error:
            problems.append(str(error))
        except UnicodeDecodeError:
            problems.append(f"{name} is not UTF-8 text")
    if problems:
        raise NotReadable("\n".join(problems))
    return read


def _written(report: Report, form: Literal["table", "json", "sarif", "junit"], *, closing: bool) -> str:
    if form == "json":
        from gpucluster.policies.render.json import as_json

        return as_json(report)
    if form == "sarif":
        from gpucluster.policies.render.sarif import as_sarif

        return as_sarif(report)
    if form == "junit":
        from gpucluster.policies.render.junit import as_junit

        return as_junit(report)
    from gpucluster.policies.render.table import as_table

    return as_table(report, closing=closing)


def _as_json(rule: Rule, pack: Pack) -> dict[str, object]:
    return {
        "name": rule.name,
        "title": rule.title,
        "severity": rule.severity.value,
        "enforcement": pack.enforcement(rule).value,
        "why": rule.why,
        "fix": rule.fix,
        "reads": rule.reads,
        "frameworks": [
            {"name": f.name, "specification": f.specification, "reference": f.reference} for f in rule.frameworks
        ],
    }


def main() -> None:
    """The console script: one clear line for each error, and the exit codes above."""
    from gpucluster.cost.prices import DamagedBook
    from gpucluster.cost.sources import NotReadable

    try:
        command.main(standalone_mode=False)
    except (NotReadable, BadSettings) as error:
        for line in str(error).splitlines():
            click.echo(f"error: {line}", err=True)
        sys.exit(INPUT)
    except DamagedBook as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(CRASH)
    except click.ClickException as error:
        error.show()
        sys.exit(INPUT)
    except click.Abort:
        sys.exit(INPUT)
    except UnicodeDecodeError:
        click.echo("error: the input is not UTF-8 text", err=True)
        sys.exit(INPUT)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        click.echo(f"error: guardrails failed, which is a fault of this tool: {type(error).__name__}", err=True)
        sys.exit(CRASH)


if __name__ == "__main__":
    main()
