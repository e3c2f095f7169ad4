"""`gpucluster`: every command by its name and summary."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import click

from gpucluster.errors import InputError
from gpucluster.groups import Group, Later, Main

_SHELLS = ("bash", "zsh", "fish")


@click.group(
    "cost",
    cls=Group,
    commands=[
        Later("report", "gpucluster.cost.commands.report:report", "Price a plan or state."),
        Later("diff", "gpucluster.cost.commands.diff:diff", "Show what a change costs a month."),
        Later("compare", "gpucluster.cost.commands.compare:compare", "Compare several stacks side by side."),
        Later("explain", "gpucluster.cost.commands.explain:explain", "Explain lines of a report."),
        Later(
            "options", "gpucluster.cost.commands.purchasing:options", "Price every purchase option of the GPU machines."
        ),
        Later("advise", "gpucluster.cost.commands.purchasing:advise", "Suggest savings."),
        Later("tco", "gpucluster.cost.commands.tco:tco", "Compare the cost of your own nodes with the cloud."),
        Later("budgets", "gpucluster.cost.commands.budgets:budgets", "Check budgets and other limits."),
        Later("reconcile", "gpucluster.cost.commands.reconcile:reconcile", "Compare a bill with a plan or state."),
        Group(
            "usage",
            help="Set values that no plan contains, such as traffic and requests.",
            commands=[
                Later("init", "gpucluster.cost.commands.usage:init", "Write a first usage file."),
                Later("names", "gpucluster.cost.commands.usage:names", "List what a usage file can set."),
            ],
        ),
        Later("types", "gpucluster.cost.commands.usage:types", "List the resource types that are priced or free."),
        Group(
            "prices",
            help="Show, check and refresh the price book.",
            commands=[
                Later("show", "gpucluster.cost.commands.prices:show", "List prices with source and date."),
                Later("gpus", "gpucluster.cost.commands.prices:gpus", "Compare GPU-hour prices of the market."),
                Later("check", "gpucluster.cost.commands.prices:check", "Test the price book."),
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
    cls=Group,
    commands=[
        Later("check", "gpucluster.policies.command:check", "Check plans and states against the rules."),
        Later("list", "gpucluster.policies.command:list_rules", "List the rules."),
        Later("explain", "gpucluster.policies.command:explain", "Explain a rule and how to fix a finding."),
        Later("pack", "gpucluster.policies.command:pack", "Print the folder of a pack, for Pulumi's --policy-pack."),
        Group(
            "config",
            help="Check the configuration file of a pack.",
            commands=[
                Later("check", "gpucluster.policies.command:config_check", "Check the configuration file of a pack.")
            ],
        ),
        Later("pr-check", "gpucluster.operate.pull_request.command:command", "Check the change of a pull request."),
    ],
)
def guardrails() -> None:
    """Check plans, states and pull requests against the rules.

    Pulumi runs the same rules with `--policy-pack policies`; the packs baseline and production are in
    policies/packs.
    """


_RUN_PULUMI: Final = ("pulumi", "up", "pause", "resume", "reap")
"""Commands of the sandbox that use its options."""


@click.group(
    "sandbox",
    cls=Group,
    commands=[
        Later("pulumi", "gpucluster.sandbox.commands.pulumi:pulumi", "Run any Pulumi command."),
        Later(
            "up",
            "gpucluster.operate.up.command:up_in_sandbox",
            "Create or update a stack of the sandbox, and explain a failure.",
        ),
        Later("status", "gpucluster.sandbox.commands.status:status", "List what exists in the simulated clouds."),
        Later("drift", "gpucluster.sandbox.commands.drift:drift", "Show what changed behind Pulumi's back."),
        Later(
            "recover", "gpucluster.sandbox.commands.recover:recover", "Repair state and clouds after a crash or a loss."
        ),
        Later("reset", "gpucluster.sandbox.commands.reset:reset", "Delete the simulated clouds."),
        Later(
            "connect", "gpucluster.operate.account.connect:in_sandbox", "Write a kubeconfig context for a live cluster."
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
        ),
        Later("kubectl", "gpucluster.sandbox.commands.kubectl:kubectl", "Run kubectl on a cluster of the sandbox."),
        Later("node", "gpucluster.sandbox.live.commands.node:node", "List and break nodes of a live cluster."),
        Later("jobs", "gpucluster.operate.jobs.command:in_sandbox", "List jobs of a live cluster."),
        Group(
            "job",
            help="Finish or fail jobs of a live cluster.\n\n"
            "No container runs here: a job runs until one of these commands ends its pods.",
            commands=[
                Later(
                    "finish",
                    "gpucluster.operate.jobs.end:finish",
                    "Finish a job: all its pods end with exit code 0.",
                ),
                Later("fail", "gpucluster.operate.jobs.end:fail", "Fail one pod of a job."),
            ],
        ),
        Later("logs", "gpucluster.sandbox.live.commands.logs:logs", "Print the log of a controller of a live cluster."),
        Later("stop", "gpucluster.sandbox.live.commands.logs:stop", "Stop a live cluster."),
        Later("engine", "gpucluster.sandbox.engine.command:engine", "Show or build the Pulumi engine in use."),
        Later("kubernetes", "gpucluster.sandbox.commands.kubernetes:kubernetes", "Show or build Kubernetes' programs."),
        Later("doctor", "gpucluster.sandbox.commands.doctor:doctor", "Check what the sandbox needs on this machine."),
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
    cls=Group,
    commands=[
        Later("run", "gpucluster.operate.acceptance.commands:run", "Measure every training node and spare."),
        Later("burn-in", "gpucluster.operate.acceptance.commands:burn_in", "Keep all GPUs under load for hours."),
        Later(
            "topology",
            "gpucluster.operate.acceptance.commands:topology",
            "Check that the nodes share one network domain.",
        ),
        Later("report", "gpucluster.operate.acceptance.commands:report", "Evaluate logs of measurements."),
        Later("verify", "gpucluster.operate.acceptance.verify:verify", "Check the signature of a report."),
    ],
)
def acceptance() -> None:
    """Test a running cluster.

    Measures fabric, GPUs, storage and placement, and checks each promise of the spec.
    """


@click.group(
    "telemetry",
    cls=Group,
    commands=[
        Later("rules", "gpucluster.operate.spec.telemetry:rules", "Print alerts."),
        Later("dashboards", "gpucluster.operate.spec.telemetry:write_dashboards", "Write Grafana dashboards."),
        Later("counters", "gpucluster.operate.spec.telemetry:counters", "Print DCGM counters to collect."),
        Later("opencost", "gpucluster.operate.spec.telemetry:opencost", "Print a price sheet for OpenCost."),
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
    cls=Main,
    context_settings={"help_option_names": ["-h", "--help"]},
    commands=[
        Later("init", "gpucluster.operate.spec.init:init", "Write a first spec, or a whole stack."),
        Later("check", "gpucluster.operate.spec.check:check", "Check a spec or stack and print its plan and cost."),
        Later("schema", "gpucluster.schema:schema", "Print the JSON Schema of a spec or a report."),
        Later(
            "package",
            "gpucluster.components.package.folder:command",
            "Write a Pulumi package of the clusters for any language.",
        ),
        Later(
            "preflight",
            "gpucluster.operate.preflight.command:preflight",
            "Ask your account what a stack needs before `up`.",
        ),
        Later("up", "gpucluster.operate.up.command:up", "Ask the account, run `pulumi up`, and explain a failure."),
        Later("quote", "gpucluster.operate.quote.command:quote", "Price whole clusters in every region."),
        cost,
        guardrails,
        Later("judge", "gpucluster.operate.judges.command:judge", "Validate a plan against the vendors' schemas."),
        Later("rehearse", "gpucluster.operate.rehearse.command:rehearse", "Rehearse jobs on a stack's cluster."),
        Later("jobs", "gpucluster.operate.jobs.command:jobs", "List jobs: state, place in the queue, reason and cost."),
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
        Later("leftovers", "gpucluster.operate.account.leftovers:leftovers", "List what a stack left in its account."),
        Later(
            "versions",
            "gpucluster.operate.versions.command:versions",
            "List pinned versions, newer ones, and what is out of support.",
        ),
        Later(
            "upgrade",
            "gpucluster.operate.versions.upgrade:upgrade",
            "Print outdated versions of a cluster and the upgrade steps.",
        ),
        Later(
            "rights",
            "gpucluster.operate.account.rights.command:rights",
            "Write the minimal permissions that `pulumi up` needs.",
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
