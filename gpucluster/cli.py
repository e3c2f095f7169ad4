"""`gpucluster`: every command by its name and summary; each is imported on use."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NoReturn

import click

from gpucluster.core.text.terminal import Program, working
from gpucluster.errors import Error, Exit, InputError, place_of

_SHELLS = ("bash", "zsh", "fish")


class Later(click.Command):
    """A command that is imported on use; help and completion need only its summary.

    where: `module:attribute` of the command. summary: the first sentence of its help. computes: whether it may take
    seconds without output, and neither asks nor runs a program at the terminal.
    """

    def __init__(self, name: str, where: str, summary: str, *, computes: bool = False) -> None:
        super().__init__(name, short_help=summary)
        self.where = where
        self.computes = computes

    def load(self) -> click.Command:
        """The command itself."""
        module, _, attribute = self.where.partition(":")
        return getattr(import_module(module), attribute)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        if self.computes and parent is not None and "--quiet" not in args:
            parent.with_resource(working(f"{parent.command_path} {info_name}"))
        return self.load().make_context(info_name, args, parent, **extra)


_ALIASES: Final = {"permissions": "rights"}
"""Other names of commands, which help does not list."""


class _Group(click.Group):
    """Lists its commands in the order of definition."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or super().get_command(ctx, _ALIASES.get(cmd_name, cmd_name))

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)


class _Main(_Group, Program):
    """Converts every error to text on stderr and an exit code."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        try:
            return super().make_context(info_name, args, parent, **extra)
        except click.ClickException as error:
            raise _refused(error) from None

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except Error as error:
            _end(ctx, error.exit_code, _shown(error))
        except UnicodeDecodeError:
            _end(ctx, Exit.INPUT, "error: the input is not UTF-8 text")
        except click.ClickException as error:
            raise _refused(error) from None
        except (click.Abort, KeyboardInterrupt):
            _end(ctx, Exit.INTERRUPTED)
        except BrokenPipeError:
            _end(ctx, Exit.OK)
        except OSError as error:
            from gpucluster.sandbox.machine.disk import cause

            if refused := cause(error):
                _end(ctx, Exit.INPUT, f"error: {refused}")
            _end(ctx, Exit.FAULT, _fault(error))
        except click.exceptions.Exit:
            raise
        except Exception as error:
            from gpucluster.core.environment import lacking

            missing = lacking(error)
            _end(ctx, Exit.INPUT if missing else Exit.FAULT, f"error: {missing}" if missing else _fault(error))


def _fault(error: Exception) -> str:
    return f"error: internal error (please report): {type(error).__name__} in {place_of(error)}"


def _end(ctx: click.Context, code: Exit, text: str = "") -> NoReturn:
    if text:
        click.echo(text, err=True)
    ctx.exit(code)


def _refused(error: click.ClickException) -> click.exceptions.Exit:
    """The end of a command that click refuses, after printing the mistake like that of any other input. A group without
    arguments prints its help instead.
    """
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        error.show()
    elif isinstance(error, click.UsageError):
        click.echo(_shown(InputError("command line", [_mistake(error)])), err=True)
    else:
        message = error.format_message()
        click.echo(f"error: {message[:1].lower()}{message[1:]}", err=True)
    return click.exceptions.Exit(Exit.INPUT)


def _mistake(error: click.UsageError) -> str:
    """The option or argument, its value, and the values allowed, or where they are described."""
    described = "" if error.ctx is None else f"; see `{error.ctx.command_path} --help`"
    if isinstance(error, click.MissingParameter):
        return f"{_name_of(error)} is missing{described}"
    if isinstance(error, click.BadParameter):
        name, choice = _name_of(error), _CHOICE.fullmatch(error.message)
        if choice is None:
            return f"{name}: {error.message.rstrip('.')}"
        return f"{name} is {choice[1]}; allowed: {choice[2].replace(_QUOTE, '')}"
    message = error.format_message().rstrip(".")
    if not message.startswith(_OF_CLICK):
        return message
    wrong, meant, name = message.partition(". Did you mean ")
    return f"{wrong[0].lower()}{wrong[1:]}{f'; did you mean {name}' if meant else described}".replace(_QUOTE, "")


_CHOICE: Final = re.compile(r"(.*) is not one of (.*)\.", re.DOTALL)
_QUOTE: Final = "'"
_OF_CLICK: Final = ("No such", "Got unexpected", "Option ")
"""How click's own messages begin, which name no change to make."""


def _name_of(error: click.BadParameter) -> str:
    """The option or argument as it is written."""
    if error.param_hint is not None:
        return error.param_hint if isinstance(error.param_hint, str) else " or ".join(error.param_hint)
    assert error.param is not None, error
    is_option = isinstance(error.param, click.Option)
    return max(error.param.opts, key=len) if is_option else error.param.human_readable_name.split()[0].strip(".")


def _shown(error: Error) -> str:
    """The message under `error:`. Input errors are one mistake per line; indented lines belong to the previous one,
    as do further lines of a fault."""
    each = isinstance(error, InputError)
    lines = str(error).splitlines() or [type(error).__name__]
    return "\n".join(
        f"error: {line}" if number == 0 or (each and not line.startswith(" ")) else line
        for number, line in enumerate(lines)
    )


@click.group(
    "cost",
    cls=_Group,
    commands=[
        Later("report", "gpucluster.cost.commands.report:report", "Price a plan or state.", computes=True),
        Later("diff", "gpucluster.cost.commands.diff:diff", "Show what a change costs a month.", computes=True),
        Later(
            "compare", "gpucluster.cost.commands.compare:compare", "Compare several stacks side by side.", computes=True
        ),
        Later("explain", "gpucluster.cost.commands.explain:explain", "Explain lines of a report.", computes=True),
        Later(
            "options",
            "gpucluster.cost.commands.purchasing:options",
            "Price every purchase option of the GPU machines.",
            computes=True,
        ),
        Later("advise", "gpucluster.cost.commands.purchasing:advise", "Suggest savings.", computes=True),
        Later(
            "tco",
            "gpucluster.cost.commands.tco:tco",
            "Compare the cost of your own nodes with the cloud.",
            computes=True,
        ),
        Later("budgets", "gpucluster.cost.commands.budgets:budgets", "Check budgets and other limits.", computes=True),
        Later(
            "reconcile",
            "gpucluster.cost.commands.reconcile:reconcile",
            "Compare a bill with a plan or state.",
            computes=True,
        ),
        _Group(
            "usage",
            help="Set values that no plan contains, such as traffic and requests.",
            commands=[
                Later("init", "gpucluster.cost.commands.usage:init", "Write a first usage file."),
                Later("names", "gpucluster.cost.commands.usage:names", "List what a usage file can set."),
            ],
        ),
        Later("types", "gpucluster.cost.commands.usage:types", "List the resource types that are priced or free."),
        _Group(
            "prices",
            help="Show, check and refresh the price book.",
            commands=[
                Later(
                    "show", "gpucluster.cost.commands.prices:show", "List prices with source and date.", computes=True
                ),
                Later("check", "gpucluster.cost.commands.prices:check", "Test the price book.", computes=True),
                Later(
                    "refresh", "gpucluster.cost.commands.prices:refresh", "Read prices from the clouds' price lists."
                ),
            ],
        ),
    ],
)
def cost() -> None:
    """Price Pulumi plans and states, and compare them.

    Every line has the source of its price; resources without a price are listed.
    """


@click.group(
    "guardrails",
    cls=_Group,
    commands=[
        Later("check", "gpucluster.policies.command:check", "Check plans and states against the rules.", computes=True),
        Later("list", "gpucluster.policies.command:list_rules", "List the rules."),
        Later("explain", "gpucluster.policies.command:explain", "Explain a rule and how to fix a finding."),
        Later("pack", "gpucluster.policies.command:pack", "Print the folder of a pack, for Pulumi's --policy-pack."),
        _Group(
            "config",
            help="Check the configuration file of a pack.",
            commands=[
                Later(
                    "check",
                    "gpucluster.policies.command:config_check",
                    "Check the configuration file of a pack.",
                    computes=True,
                )
            ],
        ),
        Later(
            "pr-check",
            "gpucluster.operate.pull_request.command:command",
            "Check the change of a pull request.",
            computes=True,
        ),
    ],
)
def guardrails() -> None:
    """Check plans, states and pull requests against the rules.

    Pulumi runs the same rules with `--policy-pack policies`; the packs baseline and production are in
    policies/packs.
    """


_RUN_PULUMI: Final = ("pulumi", "pause", "resume", "reap")
"""Commands of the sandbox that use its options."""


@click.group(
    "sandbox",
    cls=_Group,
    commands=[
        Later("pulumi", "gpucluster.sandbox.commands.pulumi:pulumi", "Run any Pulumi command."),
        Later(
            "status",
            "gpucluster.sandbox.commands.status:status",
            "List what exists in the simulated clouds.",
            computes=True,
        ),
        Later("drift", "gpucluster.sandbox.commands.drift:drift", "Show what changed behind Pulumi's back."),
        Later(
            "recover", "gpucluster.sandbox.commands.recover:recover", "Repair state and clouds after a crash or a loss."
        ),
        Later("reset", "gpucluster.sandbox.commands.reset:reset", "Delete the simulated clouds."),
        Later(
            "connect",
            "gpucluster.operate.account.connect:in_sandbox",
            "Write a kubeconfig context for a live cluster.",
        ),
        Later("reap", "gpucluster.operate.account.reap:in_sandbox", "Destroy expired stacks."),
        Later(
            "pause",
            "gpucluster.operate.account.pause:pause_in_sandbox",
            "Scale the GPU nodes of a cluster to zero and keep its data.",
        ),
        Later(
            "resume", "gpucluster.operate.account.pause:resume_in_sandbox", "Start the nodes of a paused cluster again."
        ),
        Later(
            "leftovers",
            "gpucluster.operate.account.leftovers:in_sandbox",
            "List what a stack left in the simulated clouds.",
            computes=True,
        ),
        Later("kubectl", "gpucluster.sandbox.commands.kubectl:kubectl", "Run kubectl on a cluster of the sandbox."),
        Later("node", "gpucluster.sandbox.live.commands.node:node", "List and break nodes of a live cluster."),
        Later("job", "gpucluster.sandbox.live.commands.job:job", "List and end jobs of a live cluster."),
        Later("logs", "gpucluster.sandbox.live.commands.logs:logs", "Print the log of a controller of a live cluster."),
        Later("stop", "gpucluster.sandbox.live.commands.logs:stop", "Stop a live cluster."),
        Later("engine", "gpucluster.sandbox.engine.command:engine", "Show or build the Pulumi engine in use."),
        Later("kubernetes", "gpucluster.sandbox.commands.kubernetes:kubernetes", "Show or build Kubernetes' programs."),
        Later(
            "doctor",
            "gpucluster.sandbox.commands.doctor:doctor",
            "Check what the sandbox needs on this machine.",
            computes=True,
        ),
    ],
)
@click.option(
    "--scenario",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Scenario file: existing resources, quotas, capacity, failures and drift (docs/plan/scenarios.md); for "
    "commands that run Pulumi.",
)
@click.option(
    "--kubernetes",
    type=click.Choice(["simulated", "real", "live"]),
    default="simulated",
    show_default=True,
    help="API server for Kubernetes objects: the simulation, or a real API server on loopback; live: also the real "
    "controllers, on simulated nodes; for commands that run Pulumi.",
)
@click.pass_context
def sandbox(context: click.Context, scenario: Path | None, kubernetes: str) -> None:
    """Run Pulumi against simulated clouds.

    Uses the real engine. Needs no account and no network, and nothing is billed.
    """
    command = context.invoked_subcommand
    for name in context.params:
        given = context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT
        if given and command not in _RUN_PULUMI:
            commands = f"{', '.join(_RUN_PULUMI[:-1])} and {_RUN_PULUMI[-1]}"
            raise InputError(f"--{name} is for {commands}; remove it from `sandbox {command}`")
    context.obj = {"scenario": scenario, "kubernetes": kubernetes}


@click.group(
    "acceptance",
    cls=_Group,
    commands=[
        Later("run", "gpucluster.operate.acceptance.commands:run", "Measure every training node and spare."),
        Later("burn-in", "gpucluster.operate.acceptance.commands:burn_in", "Keep all GPUs under load for hours."),
        Later(
            "topology",
            "gpucluster.operate.acceptance.commands:topology",
            "Check that the nodes share one network domain.",
            computes=True,
        ),
        Later(
            "report", "gpucluster.operate.acceptance.commands:report", "Evaluate logs of measurements.", computes=True
        ),
    ],
)
def acceptance() -> None:
    """Test a running cluster.

    Measures fabric, GPUs, storage and placement, and checks each promise of the spec.
    """


@click.group(
    "telemetry",
    cls=_Group,
    commands=[
        Later("rules", "gpucluster.operate.spec.telemetry:rules", "Print alerts.", computes=True),
        Later(
            "dashboards",
            "gpucluster.operate.spec.telemetry:write_dashboards",
            "Write Grafana dashboards.",
            computes=True,
        ),
        Later("counters", "gpucluster.operate.spec.telemetry:counters", "Print DCGM counters to collect."),
        Later(
            "opencost", "gpucluster.operate.spec.telemetry:opencost", "Print a price sheet for OpenCost.", computes=True
        ),
    ],
)
def telemetry() -> None:
    """Write alerts, dashboards, counters and prices."""


@click.command("completion")
@click.argument("shell", type=click.Choice(_SHELLS), help="Name of the shell.")
def completion(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash: eval "$(gpucluster completion bash)" in ~/.bashrc
    zsh:  eval "$(gpucluster completion zsh)" in ~/.zshrc
    fish: gpucluster completion fish > ~/.config/fish/completions/gpucluster.fish
    """
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None, shell
    click.echo(found(main, {}, "gpucluster", "_GPUCLUSTER_COMPLETE").source())


@click.group(
    "gpucluster",
    cls=_Main,
    context_settings={"help_option_names": ["-h", "--help"]},
    commands=[
        Later("init", "gpucluster.operate.spec.init:init", "Write a first spec, or a whole stack."),
        Later(
            "check", "gpucluster.operate.spec.check:check", "Check a spec or stack and print its plan.", computes=True
        ),
        Later("schema", "gpucluster.schema:schema", "Print the JSON Schema of a spec or a report."),
        Later(
            "package",
            "gpucluster.components.package.folder:command",
            "Write a Pulumi package of the clusters for any language.",
            computes=True,
        ),
        Later(
            "quote", "gpucluster.operate.quote.command:quote", "Price whole clusters in every region.", computes=True
        ),
        cost,
        guardrails,
        Later(
            "judge",
            "gpucluster.operate.judges.command:judge",
            "Validate a plan against the vendors' schemas.",
            computes=True,
        ),
        Later("rehearse", "gpucluster.operate.rehearse.command:rehearse", "Rehearse jobs on a stack's live cluster."),
        Later(
            "connect", "gpucluster.operate.account.connect:connect", "Write a kubeconfig context for a stack's cluster."
        ),
        Later("reap", "gpucluster.operate.account.reap:reap", "Destroy expired stacks."),
        Later(
            "pause",
            "gpucluster.operate.account.pause:pause",
            "Scale the GPU nodes of a cluster to zero and keep its data.",
        ),
        Later("resume", "gpucluster.operate.account.pause:resume", "Start the nodes of a paused cluster again."),
        Later(
            "leftovers",
            "gpucluster.operate.account.leftovers:leftovers",
            "List what a stack left in its account.",
            computes=True,
        ),
        Later(
            "upgrade",
            "gpucluster.operate.account.upgrade:upgrade",
            "Print outdated versions of a cluster and the upgrade steps.",
            computes=True,
        ),
        Later(
            "rights",
            "gpucluster.operate.account.rights.command:rights",
            "Write the minimal permissions that `pulumi up` needs.",
            computes=True,
        ),
        sandbox,
        acceptance,
        telemetry,
        completion,
    ],
)
@click.version_option(package_name="gpucluster", prog_name="gpucluster")
def main() -> None:
    """Equivalent H100 training clusters on AWS, Google Cloud and Azure: plan, price, check and test them.

    Exit code: 0; 1 with findings, or over budget; 2 if your input must change; 3 if this tool, the engine or a
    service failed.
    """
