"""What each rule finds, leaves and cannot tell: programs that pass, changed a little, by the file of each in `rules/`.

Each case goes through `gpucluster guardrails check`'s reading of a plan, and over the engine's own protocol into the
pack. A file has the name of its rule, and holds:

    programs:                   # name -> resources, in the form of a rule's example; `example` is its own
    cases:
    - says: a sentence
      of: a program, or one of `programs/`
      add: {resource: {type: ..., properties: ...}}  # `like: resource` for a type: its copy, with these laid into it
      change: {resource: {property: value}}   # laid into it, at any depth; null takes away
      changes: [...]                          # several that are laid into it each by itself, and find the same
      each: [{...}]                           # several programs of one sentence, with what differs between them
      needs: {resource: {property: [resource]}}  # laid into the sources of known values
      outside: [resource]                     # of the component
      config: {name: value}                   # of the rule
      finds: {resource: what}                 # every finding, several in a list; `` is the stack
      cannot_tell: {resource: what}
      writes: {resource: {path: value}}       # every edit of the findings, if given

Written anew with UPDATE_GOLDEN=1, for whoever reads the difference.
"""

from __future__ import annotations

import datetime
import functools
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from pulumi.runtime.proto import analyzer_pb2

from gpucluster.core.program.readers.files import read_file
from gpucluster.policies.engine.examples import Example, example_of
from gpucluster.policies.engine.rule import ChangeRule, Changes, Outcome, ReportRule
from gpucluster.policies.engine.run import evaluate
from gpucluster.policies.engine.settings import Settings
from gpucluster.policies.packs import TRAINING
from tests.policies.laid import laid
from tests.policies.previews import PACK
from tests.policies.programs import PROGRAMS, PROVIDERS, planned, program_of
from tests.policies.served import served

FOLDER = Path(__file__).with_name("rules")
FILES = {
    file.stem.replace("_", "-"): file
    for file in sorted(FOLDER.glob("*.yaml"))
    if not file.name.startswith("test_")  # tables of cases of tests beside them
}
TODAY = datetime.date(2026, 11, 21)
RULES = {rule.name: rule for rule in TRAINING.rules}
UPDATE = os.environ.get("UPDATE_GOLDEN") == "1"


Found = Mapping[str, str | list[str]]


@dataclass(frozen=True, kw_only=True)
class Case:
    rule: str
    says: str
    number: int = 1
    program: Example
    finds: Found
    cannot_tell: Found
    config: Mapping[str, Any] = field(default_factory=dict[str, Any])
    large: bool = False
    writes: Mapping[str, Any] | None = None


def _read(file: Path) -> dict[str, Any]:
    return yaml.load(file.read_text(), yaml.CSafeLoader)


def _program(written: Mapping[str, Any], name: str, rule: str) -> Example:
    if name == "example":
        example = example_of(rule)
        assert example is not None
        return example
    if name in PROGRAMS:
        return Example(resources=program_of(name), fail={})
    return Example(resources=written["programs"][name], fail={})


def _cases() -> Iterator[Case]:
    for rule, file in FILES.items():
        written = _read(file)
        for case in written["cases"]:
            each = [{"change": change} for change in case.get("changes", [])] or case.get("each", [{}])
            for number, one in enumerate(({**case, **one} for one in each), start=1):
                program = _program(written, one.get("of", "example"), rule)
                yield Case(
                    rule=rule,
                    says=one["says"],
                    number=number,
                    program=replace(program, resources=dict(changed(program, one))),
                    finds=one.get("finds") or {},
                    cannot_tell=one.get("cannot_tell") or {},
                    config=one.get("config") or {},
                    large=one.get("of") in PROGRAMS,
                    writes=one.get("writes"),
                )


def changed(program: Example, case: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    change, needs, outside = (case.get(key) or {} for key in ("change", "needs", "outside"))
    for name, of in {**program.resources, **(case.get("add") or {})}.items():
        if "like" in of:
            of = laid(program.resources[of["like"]], {key: value for key, value in of.items() if key != "like"})
        if change.get(name, {}) is not None:
            properties = laid(of["properties"], change.get(name, {}))
            sources = laid(of.get("needs", {}), needs.get(name, {}))
            yield name, {**of, "properties": properties, "needs": sources, "outside": name in outside}


@functools.cache
def _cases_of() -> Mapping[str, list[Case]]:
    """rule -> its cases."""
    return {rule: list(cases) for rule, cases in itertools.groupby(_cases(), lambda case: case.rule)}


def _outcome(case: Case) -> Outcome:
    read = read_file(json.dumps(planned(case.program)), "case")
    changes = Changes(ended=read.ended, before=read.existing(), after=read.resources)
    settings = Settings(configs={case.rule: case.config})
    [outcome] = evaluate([RULES[case.rule]], read.resources, changes, today=TODAY, settings=settings)
    return outcome


def _found(case: Case) -> tuple[Found, Found]:
    """(findings, what is open) by resource."""
    outcome = _outcome(case)
    found, unknown = (
        _by_name((one.resource.name if one.resource else "", one.what) for one in of)
        for of in (outcome.violations, outcome.unknown)
    )
    return found, unknown


def _by_name(findings: Iterable[tuple[str, str]]) -> Found:
    found: dict[str, list[str]] = {}
    for name, what in findings:
        found.setdefault(name, []).append(what)
    return {name: whats[0] if len(whats) == 1 else whats for name, whats in found.items()}


@pytest.mark.parametrize("rule", FILES)
def test_a_case_finds_what_it_says(rule):
    found = {(case.says, case.number): _found(case) for case in _cases_of()[rule]}
    if UPDATE:
        for case in _cases_of()[rule]:
            _write(case, *found[case.says, case.number])
    else:
        assert found == {(case.says, case.number): (case.finds, case.cannot_tell) for case in _cases_of()[rule]}
        assert len(found) == len(_cases_of()[rule]), "two cases say the same"


def test_a_finding_says_what_to_write_where_its_case_does():
    cases = [case for of in _cases_of().values() for case in of if case.writes is not None]
    edits = [
        {one.resource.name: {edit.path: edit.value for edit in one.edits} for one in _outcome(case).violations}
        for case in cases
    ]
    assert edits == [case.writes for case in cases] != []


@pytest.mark.parametrize("rule", FILES)
def test_a_file_has_a_mutation_a_near_miss_and_programs_that_pass(rule):
    written = _read(FILES[rule])
    for name in ("example", *written.get("programs", {})):
        base = Case(rule=rule, says="", program=_program(written, name, rule), finds={}, cannot_tell={})
        assert _found(base) == ({}, {}), name
        of = [case for case in written["cases"] if case.get("of", "example") == name]
        assert name == "example" or [case for case in of if case.get("finds")], f"{name}: no mutation"
    assert [case for case in written["cases"] if not case.get("finds") and not case.get("cannot_tell")], "no near miss"


def test_every_rule_that_looks_at_programs_has_cases_here_or_a_test_file_of_its_own():
    tested = {file.stem.removeprefix("test_").replace("_", "-") for file in FOLDER.iterdir()}
    elsewhere = {rule.name for rule in TRAINING.rules if isinstance(rule, (ChangeRule, ReportRule))}
    exemptions = {name for name in RULES if name.startswith("exemptions")}
    assert set(RULES) - tested - elsewhere - exemptions == set()


@pytest.fixture(scope="module")
def pack():
    with served(PACK) as (stub, _):
        yield stub


def _only(rule: str) -> analyzer_pb2.ConfigureAnalyzerRequest:
    """A configuration with one rule, the one that says what it could not tell, and one that looks at resources alone,
    which the engine always has some of."""
    request = analyzer_pb2.ConfigureAnalyzerRequest()
    for name in RULES:
        on = name in (rule, "not-known-yet", "label-values")
        request.policyConfig[name].enforcementLevel = analyzer_pb2.ADVISORY if on else analyzer_pb2.DISABLED
    return request


def _requests(program: Example) -> tuple[list[analyzer_pb2.AnalyzeRequest], analyzer_pb2.AnalyzeStackRequest]:
    """What the engine sends: numbers as floats, unknown values as they are marked, inputs of components not at all."""
    stack = analyzer_pb2.AnalyzeStackRequest()
    each: list[analyzer_pb2.AnalyzeRequest] = []
    for step in planned(program)["steps"]:
        state = step["newState"]
        name = state["urn"].rpartition("::")[2]
        sent = stack.resources.add(type=state["type"], urn=state["urn"], name=name, parent=state["parent"] or "")
        sent.properties.update(state["inputs"])
        sent.options.ignoreChanges.extend(state["ignoreChanges"])
        if state["custom"]:
            package = state["type"].partition(":")[0]
            sent.provider.type, sent.provider.name = f"pulumi:providers:{package}", "default"
            sent.provider.urn = f"urn:pulumi:example::example::pulumi:providers:{package}::default"
            sent.provider.properties.update(PROVIDERS.get(package, {}))
        for key, urns in state["propertyDependencies"].items():
            sent.propertyDependencies[key].urns.extend(urns)
        each.append(analyzer_pb2.AnalyzeRequest(type=sent.type, urn=sent.urn, name=name, properties=sent.properties,
                                                options=sent.options))  # fmt: skip
    return each, stack


def _told(one: analyzer_pb2.AnalyzeDiagnostic) -> Iterator[tuple[str, str]]:
    """Resource and finding, of a diagnostic for one or several; what is of no single resource is of the stack."""
    first, *listed = one.message.partition("\nwhy: ")[0].split("\n")
    if not listed:
        yield "" if "pulumi:pulumi:Stack" in one.urn else one.urn.rpartition("::")[2], first
    for line in listed:
        names, _, what = line.partition(": ")
        for name in names.split(", "):
            yield "" if name == "the stack" else name, what


@pytest.mark.parametrize("rule", FILES)
def test_the_pack_finds_the_same_over_the_engines_protocol(pack, rule):
    if UPDATE:
        pytest.skip("the files are being written anew; run the test without UPDATE_GOLDEN")
    pack.Configure(_only(rule))
    cases = [] if isinstance(RULES[rule], ChangeRule) else _cases_of()[rule]
    for case in cases:
        if case.large:  # dozens of requests each; the others show that both ways are one
            continue
        each, stack = _requests(case.program)
        found = [one for request in each for one in pack.Analyze(request).diagnostics]
        found += pack.AnalyzeStack(stack).diagnostics
        said = _by_name(told for one in found if one.policyName == rule for told in _told(one))
        assert said == dict(case.finds), case.says
        open_ = [
            one.message for one in found if one.policyName == "not-known-yet" and f"{rule} not evaluated" in one.message
        ]
        assert bool(open_) == bool(case.cannot_tell), (case.says, open_)


def _write(case: Case, found: Found, unknown: Found) -> None:
    written = _read(FILES[case.rule])
    for entry in written["cases"]:
        if entry["says"] == case.says:
            entry = entry["each"][case.number - 1] if "each" in entry else entry
            if (dict(entry.get("finds") or {}), dict(entry.get("cannot_tell") or {})) == (found, unknown):
                return
            for key, value in (("finds", found), ("cannot_tell", unknown)):
                entry.pop(key, None)
                if value:
                    entry[key] = dict(value)
    FILES[case.rule].write_text(yaml.safe_dump(written, sort_keys=False, width=120))
