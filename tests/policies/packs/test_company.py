"""A folder with a company's rules, as a pack."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from gpucluster.cli import main
from gpucluster.policies.engine.rule import explained_by
from gpucluster.policies.packs import PACKS
from gpucluster.policies.packs.company import BadPack, own_rules, pack_of, read_pack
from gpucluster.policies.report import check_stack
from tests.cases import cases
from tests.says import Says

RULE = """\
from gpucluster.rules import {level}Severity, StackRule, Violation
{before}
RULE = StackRule(name="{name}", title="t", why="w", fix="f", reads="r", severity=Severity.LOW{given},
                 check=lambda stack: [Violation(one, "seen") for one in stack.resources if one.name == "train"])
"""


def rule(name: str, *, mandatory: bool = False, before: str = "") -> str:
    level, given = ("Enforcement, ", ", enforcement=Enforcement.MANDATORY") if mandatory else ("", "")
    return RULE.format(name=name, level=level, given=given, before=before)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "acme"
    made.mkdir()
    (made / "first.py").write_text(rule("first-rule"))
    (made / "second.py").write_text(rule("second-rule", mandatory=True))
    return made


@pytest.mark.parametrize(
    ("extends", "stops"),
    [("training", {"second-rule"}), ("baseline", set()), ("production", {"first-rule", "second-rule"}),
     ("none", {"second-rule"}), (None, {"second-rule"})],
)  # fmt: skip
def test_rules_of_a_folder_run_beside_those_of_the_pack_it_extends(folder: Path, extends, stops) -> None:
    if extends is not None:
        (folder / "pack.yaml").write_text(yaml.safe_dump({"extends": extends}))
    pack, base = read_pack(folder), PACKS.get(extends or "training")
    assert {explained_by(rule) for rule in pack.rules if rule.name == "first-rule"} == {
        f"gpucluster guardrails explain first-rule --pack {folder}"
    }
    assert (pack.name, own_rules(pack)) == ("acme", {"first-rule", "second-rule"})
    assert {rule.name for rule in pack.rules} - own_rules(pack) == {rule.name for rule in (base.rules if base else ())}
    assert pack.mandatory & own_rules(pack) == stops
    assert pack.program_exemptions == (extends != "production")
    assert not list(folder.glob("__pycache__"))


def test_its_file_sets_levels_and_settings_below_those_of_a_run(folder: Path, program) -> None:
    settings = {"first-rule": "mandatory", "second-rule": "disabled", "required-labels": {"keys": ["cost"]}}
    (folder / "pack.yaml").write_text(yaml.safe_dump({"settings": settings}))
    pack = read_pack(folder)

    def found(given: str) -> dict[str, str]:
        from gpucluster.policies.engine.settings import read_settings

        checked = check_stack(
            "", program.stack().resources, pack=pack, settings=read_settings(given, pack.rules), today=program.today
        )
        return {one.rule.name: level.value for one, level in checked.outcomes if one.violations}

    assert found("{}") == {"first-rule": "mandatory", "required-labels": "mandatory"}
    given = '{"first-rule": "advisory", "second-rule": "advisory", "required-labels": {"keys": ["team"]}}'
    assert found(given) == {"first-rule": "advisory", "second-rule": "advisory"}


def test_an_exemption_from_a_rule_of_the_folder_counts(folder: Path, program) -> None:
    pack = read_pack(folder)
    until = str(program.today + datetime.timedelta(days=30))
    entry = {"resource": "train", "reason": "agreed with the team", "owner": "ada", "until": until}
    program["trial"]["exemptions"] = [{"rule": "second-rule", **entry}, {"rule": "no-rule", **entry}]
    checked = check_stack("", program.stack().resources, pack=pack, settings=pack.settings, today=program.today)
    found = {one.rule.name: one for one, _ in checked.outcomes}
    assert [one.exemption.owner for one in found["second-rule"].exempted] == ["ada"]
    assert [one.what for one in found["exemptions-valid"].violations] == [Says("no-rule", "does not exist")]


def test_files_of_a_folder_import_each_other_and_an_edit_counts(folder: Path) -> None:
    (folder / "_names.py").write_text('NAME = "first-name"\n')
    source = rule("x", before="from ._names import NAME").replace('name="x"', "name=NAME")
    (folder / "first.py").write_text(source)
    assert "first-name" in own_rules(read_pack(folder))
    (folder / "_names.py").write_text('NAME = "another-name"\n')
    assert "another-name" in own_rules(read_pack(folder))


def test_an_exemption_in_its_file_ends_on_a_day_that_yaml_reads_as_a_date(folder: Path, program) -> None:
    entry = {"resource": "train", "reason": "agreed with the team", "owner": "ada", "until": program.today}
    (folder / "pack.yaml").write_text(yaml.safe_dump({"settings": {"second-rule": {"exemptions": [entry]}}}))
    pack = read_pack(folder)
    checked = check_stack("", program.stack().resources, pack=pack, settings=pack.settings, today=program.today)
    [second] = [one for one, _ in checked.outcomes if one.rule.name == "second-rule"]
    assert (second.violations, [one.exemption.until for one in second.exempted]) == ((), [program.today])


@cases
def test_a_folder_that_is_no_pack_is_one_error(tmp_path: Path, files, says) -> None:
    folder = tmp_path / "acme"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(rule(text[1:]) if text.startswith("=") else text)
    with pytest.raises(BadPack) as caught:
        read_pack(folder)
    assert str(caught.value).replace(f"{folder}/", "").replace(str(folder), "acme").splitlines() == says


def test_neither_a_pack_nor_a_folder_is_one_error() -> None:
    for name in ("trainning", ""):
        with pytest.raises(BadPack) as caught:
            pack_of(name)
        assert str(caught.value) == f"--pack is {name!r}; write baseline, training, production or a folder with rules"


def test_commands_take_the_folder(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GPUCLUSTER_CACHE", str(tmp_path / "cache"))

    def run(*args: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["guardrails", *args])
        return done.exit_code, done.output

    code, listed = run("list", "--pack", str(folder))
    assert (code, listed) == (0, Says("second-rule"))
    assert " ".join(listed.split()).endswith(f"Next: gpucluster guardrails explain NAME --pack {folder}")
    assert run("explain", "first-rule", "--pack", str(folder))[0] == 0
    monkeypatch.chdir(folder.parent)
    for written in (folder.name, str(folder)):
        assert run("list", "--pack", written)[1].splitlines()[-1] == (
            f"Next: gpucluster guardrails explain NAME --pack {folder.name}"
        )
    (folder / "odd.py").write_text("RULE = None\n")
    for command in (("list", "--pack"), ("check", "--pack"), ("pack",)):
        code, said = run(*command, str(folder))
        assert (code, said.count("error: ")) == (2, 1)
        assert f"{folder / 'odd.py'} has no RULE" in said
