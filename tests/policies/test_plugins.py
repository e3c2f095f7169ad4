"""Commands of `guardrails` that stand above the rules."""

from __future__ import annotations

import subprocess
import sys

import click

from gpucluster.policies.guardrails import command


def test_a_command_of_an_entry_point_stands_beside_the_own_ones() -> None:
    context = click.Context(command)
    assert command.list_commands(context) == ["check", "config", "explain", "list", "pack", "pr-check"]
    found = command.get_command(context, "pr-check")
    assert found is not None
    assert found.name == "pr-check"
    assert command.get_command(context, "no-such-command") is None


def test_it_is_not_loaded_for_another_command() -> None:
    """Nor is anything else that only a check of a pull request needs."""
    code = (
        "import sys; from gpucluster.policies.guardrails import main; sys.argv = ['guardrails', 'list'];\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted(name for name in sys.modules if name.startswith(('gpucluster.pull_request', 'requests'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
