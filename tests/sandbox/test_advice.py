"""What messages of the sandbox tell a user to run: such commands and options are there."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click

from gpucluster.cli import main
from gpucluster.groups import Later

ROOT = Path(__file__).parents[2]
_ADVICE = re.compile(r"`?\bgpucluster (sandbox(?: +(?:[a-z{}][\w{}.]*|--?[\w-]+(?:=\S+)?|NAME|FILE))*)")


def _texts(file: Path) -> Iterator[str]:
    """The texts of a file, without its descriptions; what is put into one stands as {}."""
    tree = ast.parse(file.read_text())
    described = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in described:
            yield node.value


def _advice() -> set[str]:
    return {
        found[1].strip()
        for folder in ("sandbox", "gpucluster/operate/rehearse")
        for file in (ROOT / folder).rglob("*.py")
        for text in _texts(file)
        for found in _ADVICE.finditer(text)
    }


def test_what_messages_tell_to_run_are_commands_with_such_options() -> None:
    advice = _advice()
    assert {"sandbox recover", "sandbox reset", "sandbox recover --stack {}", "sandbox kubernetes --build"} <= advice
    assert {text: wrong for text in sorted(advice) if (wrong := _unknown(text))} == {}


def _unknown(advice: str) -> list[str]:
    """The words that are no commands and no options."""
    command: click.Command = main
    words = shlex.split(advice)
    while words and isinstance(command, click.Group):
        context = click.Context(command)
        found = command.get_command(context, words[0])
        if found is None and words[0].startswith("-"):
            break
        if found is None:
            return [words[0]]
        command, words = (found.load() if isinstance(found, Later) else found), words[1:]
    options = {name for option in command.get_params(click.Context(command)) for name in option.opts}
    unknown = [word for word in words if word.startswith("-") and word.partition("=")[0] not in options]
    return [] if command.name in ("pulumi", "kubectl") else unknown
