"""Reads a spec file and reports everything wrong with it at once, in the user's words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import ValidationError

from gpucluster.components.problem import Problem
from gpucluster.components.spec import ClusterSpec
from gpucluster.components.spec_words import line_of, problems_of
from gpucluster.components.what_if import applied, wanted
from gpucluster.components.yaml_file import YamlFile, read_yaml
from gpucluster.errors import InputError

__all__ = ["plan_error", "read_spec", "what_if"]

_WHAT = "a spec is a mapping that starts with name: and training:; `gpucluster init` writes one"


def read_spec(path: Path) -> ClusterSpec:
    """The spec in a YAML file.

    Raises InputError with every problem: the line, the field as written, the value seen, what to write instead.
    """
    file, _ = applied(read_yaml(path, what=_WHAT), wanted())
    problems = [(fault.line, fault.text) for fault in file.faults]
    try:
        spec = ClusterSpec.model_validate(file.data)
    except ValidationError as error:
        unclear = {fault.name for fault in file.faults if not fault.repeats}
        found = problems_of(error, file.root)
        problems += [(told.line, told.text) for told in found if told.field not in unclear]
    else:
        if not problems:
            return spec
    raise _error(file, problems)


def what_if(path: Path) -> list[str]:
    """What is asked of a spec otherwise than it says, for this preview; empty when nothing is."""
    values = wanted()
    return applied(read_yaml(path, what=_WHAT), values)[1] if values else []


def plan_error(path: Path, problems: Sequence[Problem]) -> InputError:
    """What a plan found wrong in a spec that could be read: each problem with the line of its field."""
    file = read_yaml(path, what=_WHAT)
    return _error(file, [(line_of(problem.field, file.root), str(problem)) for problem in problems])


def _error(file: YamlFile, problems: list[tuple[int, str]]) -> InputError:
    return InputError(file.source, [f"line {line}: {text}" if line else text for line, text in sorted(problems)])
