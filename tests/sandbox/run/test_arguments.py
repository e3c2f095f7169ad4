"""Pulumi command lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from gpucluster.sandbox.run.arguments import CommandLine


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("preview", ("preview",)),
        ("--color never -C dir pre --stack dev", ("preview",)),
        ("-s dev up --yes", ("up",)),
        ("dn", ("destroy",)),
        ("stack init dev", ("stack", "init")),
        ("stack new dev", ("stack", "init")),
        ("stack", ("stack",)),
        ("config --stack dev set a b", ("config", "set")),
        ("config remove a", ("config", "rm")),
        ("new aws-python", ("new",)),
        ("", ()),
        ("--help", ()),
    ],
)
def test_command_words_are_found_among_flags(args: str, words: tuple[str, ...]) -> None:
    assert CommandLine.of(args.split()).words == words


@pytest.mark.parametrize("args", ["--stack dev", "--stack=dev", "-s dev", "-sdev", "-s=dev"])
def test_a_flag_has_its_value_in_every_spelling(args: str) -> None:
    assert CommandLine.of(["preview", *args.split()]).value("--stack", "-s") == "dev"


@pytest.mark.parametrize("args", ["up --config-file a --yes", "up --config-file=a --yes"])
def test_a_flag_can_be_taken_out(args: str) -> None:
    assert CommandLine.of(args.split()).without("--config-file").args == ("up", "--yes")


def test_what_follows_the_command_is_an_operand() -> None:
    assert CommandLine.of(["stack", "init", "-s", "x", "name"]).operands == ("name",)


@pytest.mark.parametrize(("args", "expected"), [("up -h", True), ("version", True), ("", True), ("up", False)])
def test_help_is_recognised(args: str, expected: bool) -> None:
    assert CommandLine.of(args.split()).wants_help is expected


def test_the_folder_of_the_project_may_be_named(tmp_path: Path) -> None:
    assert CommandLine.of(["up", "--cwd", "a"]).folder(tmp_path) == tmp_path / "a"
    assert CommandLine.of(["up"]).folder(tmp_path) == tmp_path
