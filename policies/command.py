"""`gpucluster guardrails`: runs the rules of the packs on a plan or state file, lists and explains them."""

from __future__ import annotations

import difflib
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TextIO

import click

from gpucluster.errors import Exit
from gpucluster.options import form_of, output, quiet
from gpucluster.policies.engine import exemptions
from gpucluster.policies.engine.rule import Enforcement
from gpucluster.policies.engine.settings import BadSettings, Settings, read_settings
from gpucluster.policies.packs import TRAINING
from gpucluster.policies.packs.company import pack_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gpucluster.core.program.resources import Resources
    from gpucluster.policies.engine.rule import Changes


PACK_HELP: Final = "Rule pack: baseline blocks nothing, production everything; or a folder with your rules."
Form = Literal["table", "json"]

_form = form_of("table", "json")
_pack = click.option(
    "--pack",
    "pack_name",
    metavar="NAME",
    default=TRAINING.name,
    show_default=True,
    help=PACK_HELP,
)


@click.command("list")
@_form
@_pack
def list_rules(form: Form, pack_name: str) -> None:
    """List the rules.

    With severity and enforcement level.
    """
    from gpucluster.core.documents.formats import write
    from gpucluster.policies.render.rules import rules_document

    write(rules_document(pack_of(pack_name)), form, sys.stdout)


@click.command()
@click.argument("name", help="Name of the rule, as `gpucluster guardrails list` prints it.")
@_form
@_pack
@click.option("--example", type=click.Choice(["pass", "fail"]), help="Print the rule's example as a plan file instead.")
def explain(name: str, form: Form, pack_name: str, example: Literal["pass", "fail"] | None) -> None:
    """Explain a rule and how to fix a finding."""
    pack = pack_of(pack_name)
    rule = next((rule for rule in pack.rules if rule.name == name), None)
    if rule is None:
        near = difflib.get_close_matches(name, [rule.name for rule in pack.rules], n=1, cutoff=0.6)
        hint = f"did you mean `{near[0]}`?" if near else "`gpucluster guardrails list` shows all of them"
        raise click.BadParameter(f"unknown rule `{name}`; {hint}", param_hint="NAME")
    if example is not None:
        from gpucluster.policies.engine.examples import example_of, plan_of

        found = example_of(name)
        if found is None:
            raise click.BadParameter(f"rule `{name}` has no example", param_hint="--example")
        click.echo(json.dumps(plan_of(found, fails=example == "fail"), indent=2))
        return
    from gpucluster.core.documents.formats import write
    from gpucluster.policies.render.rules import rule_document

    write(rule_document(rule, pack), form, sys.stdout)


@click.command()
@click.argument(
    "files",
    type=click.File(encoding="utf-8"),
    nargs=-1,
    metavar="[FILE]...",
    help="Plans (`pulumi preview --json --show-sames`) or states (`pulumi stack export`).  [default: -, for stdin]",
)
@form_of("table", "json", "sarif", "junit")
@output
@_pack
@click.option(
    "--config",
    metavar="FILE",
    type=click.File(encoding="utf-8"),
    help="JSON file of enforcement levels and settings, as for --policy-pack-config; - for stdin.",
)
@quiet
def check(
    files: tuple[TextIO, ...],
    form: Literal["table", "json", "sarif", "junit"],
    output: TextIO,
    pack_name: str,
    config: TextIO | None,
    quiet: bool,
) -> None:
    """Check plans and states against the rules.

    Each file is one stack. Rules about deletions and replacements run on plans only. `gpucluster schema
    guardrails-check` describes the format json; sarif is 2.1.0.

    Exit code 1: mandatory findings.
    """
    from gpucluster.policies.report import Report, check_stack

    pack = pack_of(pack_name)
    settings = read_settings(config.read(), pack.rules) if config else Settings()
    today = exemptions.today()
    read = _read(files or (sys.stdin,))
    report = Report(
        pack=pack.name,
        files=[
            check_stack(name, resources, changes, pack=pack, settings=settings, today=today, specs=specs)
            for name, resources, changes, specs in read
        ],
        today=today,
        not_run=pack.change_rules if any(changes is None for _, _, changes, _ in read) else (),
    )
    if form == "sarif":
        from gpucluster.policies.render.sarif import as_sarif

        output.write(f"{as_sarif(report)}\n")
    elif form == "junit":
        from gpucluster.policies.render.junit import as_junit

        output.write(f"{as_junit(report)}\n")
    else:
        from gpucluster.core.documents.formats import write
        from gpucluster.policies.render.document import check_document

        write(check_document(report, closing=not quiet), form, output)
    if report.count(Enforcement.MANDATORY):
        raise SystemExit(Exit.FINDINGS)


@click.command("pack")
@click.argument("name", default=TRAINING.name, help="Name of the pack, or a folder with rules.  [default: training]")
@click.option(
    "--publish",
    metavar="FOLDER",
    type=click.Path(path_type=Path),
    help="Write the pack into a new folder for `pulumi policy publish`, with its requirements, instead.",
)
def pack(name: str, publish: Path | None) -> None:
    """Print the folder of a pack, for Pulumi's --policy-pack.

    For example: pulumi preview --policy-pack "$(gpucluster guardrails pack)". The pack runs in the environment that
    runs this command.
    """
    from gpucluster.policies.packs.folder import pack_folder, write_for_publishing

    if publish is None:
        click.echo(pack_folder(name))
    else:
        write_for_publishing(name, publish)
        click.echo(f"Next: pulumi policy publish, in {publish}")


@click.command("check")
@click.argument(
    "files",
    type=click.File(encoding="utf-8"),
    nargs=-1,
    metavar="[FILE]...",
    help="Configuration files, as for --policy-pack-config.  [default: -, for stdin]",
)
@_pack
@quiet
def config_check(files: tuple[TextIO, ...], pack_name: str, quiet: bool) -> None:
    """Check the configuration file of a pack.

    Checks rule names and settings against the pack: the engine ignores unknown ones.

    Exit code 2: the file has an error.
    """
    pack = pack_of(pack_name)
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
        folder = f"$(gpucluster guardrails pack {pack_name})"
        click.echo(f'Next: pulumi preview --policy-pack "{folder}" --policy-pack-config {given}')


def _read(files: Sequence[TextIO]) -> list[tuple[str, Resources, Changes | None, list[Path]]]:
    """Name, resources, changes and specs of each file; NotReadable with a line for each unreadable one."""
    from gpucluster.core.program.readers.files import read_file
    from gpucluster.core.program.readers.records import NotReadable
    from gpucluster.core.program.spec_places import specs_of
    from gpucluster.policies.engine.rule import Changes

    read: list[tuple[str, Resources, Changes | None, list[Path]]] = []
    problems: list[str] = []
    for file in files:
        name = "stdin" if file.name == "<stdin>" else file.name
        try:
            found = read_file(file.read(), name)
            changes = Changes(ended=found.ended, before=found.existing(), after=found.resources)
            specs = specs_of(found.spec, Path.cwd())
            read.append((name, found.resources, changes if found.is_plan else None, specs))
        except NotReadable as error:
            problems.append(str(error))
        except UnicodeDecodeError:
            problems.append(f"{name} is not UTF-8 text")
    if problems:
        raise NotReadable("\n".join(problems))
    return read
