"""The tree of errors: every exception of ours has the base that users catch, and an exit code."""

from __future__ import annotations

import ast
import builtins
import functools
from collections.abc import Sequence
from pathlib import Path

import gpucluster
from gpucluster.checkout import folders
from gpucluster.errors import Error, Exit, Fault, InputError

ROOT = Path(__file__).parents[2]
CONTROL_FLOW = {
    "BadValue": "a value of a plan is not of its kind, and the reader or rule concerned names it",
    "BadSpecValue": "a rule of the spec raises it, and the reading of the spec goes on",
    "BadJson": "a text is no JSON, and who reads it adds the name of the file",
    "BadYaml": "a text is no YAML, and who reads it adds the name of the file",
    "CannotAsk": "an account does not answer, and preflight says of its questions why",
    "CannotPrice": "a handler gives up on a resource, and the report names it",
    "DamagedLedgerError": "the project says what to do about its ledger",
    "Doubt": "a price list does not answer one query, and the row stays as it was",
    "StoppedError": "a running engine has to end, and the command says why",
    "UnreadableStateError": "a state is damaged, and the recovery looks for its copy",
    "_BadOption": "an option of a question can't be read, and the question names all that can't",
    "_BrokenPart": "a part that the doctor examines is broken, and a line says so",
    "_NoFinding": "the rule of a company yields something else, and its failure says what",
}
"""Exceptions that are caught where they matter, with what becomes of them; no user meets one."""


@functools.cache
def _classes() -> Sequence[tuple[str, list[str]]]:
    """(name, names of the bases) of every class of the package."""
    return [
        (node.name, [ast.unparse(base).rpartition(".")[2] for base in node.bases])
        for folder in folders(ROOT).values()
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]


def _below(*roots: str) -> set[str]:
    """The classes of ours that descend from one of these."""
    found = set(roots)
    while new := {name for name, bases in _classes() if name not in found and found.intersection(bases)}:
        found |= new
    return found - set(roots)


BUILT_IN = [name for name, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)]


def test_every_exception_has_the_base_that_users_catch_or_is_control_flow() -> None:
    exceptions = _below(*BUILT_IN)
    assert len(exceptions) > 25
    assert exceptions - _below("Error") - {"Error"} == set(CONTROL_FLOW)


def test_no_two_exceptions_have_one_name() -> None:
    exceptions = _below(*BUILT_IN)
    names = [name for name, _ in _classes() if name in exceptions]
    assert sorted(names) == sorted(exceptions)


def test_the_base_is_exported_and_the_kinds_say_how_a_command_ends() -> None:
    assert gpucluster.Error is Error
    assert (InputError("spec").exit_code, Fault("engine").exit_code) == (Exit.INPUT, Exit.FAULT)
    assert {code.name: int(code) for code in Exit} == {
        "OK": 0,
        "FINDINGS": 1,
        "INPUT": 2,
        "FAULT": 3,
        "INTERRUPTED": 130,
    }


def test_problems_stand_below_their_source_and_before_those_of_others() -> None:
    assert str(InputError("no Pulumi.yaml")) == "no Pulumi.yaml"
    other = InputError("b.yaml", ["is empty"])
    found = InputError("a.yaml", ["line 1: x", "line 2: y"], other)
    assert str(found).splitlines() == [
        "a.yaml: 2 problems",
        "  line 1: x",
        "  line 2: y",
        "b.yaml: 1 problem",
        "  is empty",
    ]
    assert str(InputError("stack", [], other)) == str(other)
    assert (found.source, found.problems) == ("a.yaml", ("line 1: x", "line 2: y"))
