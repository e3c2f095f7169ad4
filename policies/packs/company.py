"""The pack of a company: a folder with its own rules, beside those of a pack of this package, and settings for both.

allowed_machines.py    # one RULE, as in policies/rules; a file whose name starts with `_` is none
pack.yaml              # optional: description; extends, another pack or `none`; settings, as for --policy-pack-config
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import traceback
from collections.abc import Mapping
from contextlib import redirect_stdout
from dataclasses import replace
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from gpucluster.core.program.values import is_object
from gpucluster.core.text.yaml_text import BadYaml, read
from gpucluster.errors import InputError
from gpucluster.policies.engine.pack import Pack
from gpucluster.policies.engine.rule import Enforcement, ReportRule, Rule
from gpucluster.policies.engine.settings import BadSettings, read_settings
from gpucluster.policies.packs import BASELINE, PACKS, PRODUCTION, TRAINING
from gpucluster.policies.rules import place, rules

FILE: Final = "pack.yaml"
_NONE: Final = "none"
_FIELDS: Final = ("name", "version", "description", "extends", "settings")
_EMPTY: Final = replace(TRAINING, rules=(), mandatory=frozenset())


class BadPack(InputError):
    """A folder is no pack; the message has a line for each problem."""


def pack_of(name: str, written: str = "") -> Pack:
    """A pack by its name, or that of a folder. written: see `read_pack`. Raises BadPack."""
    if name in PACKS:
        return PACKS[name]
    if not name or not Path(name).is_dir():
        raise BadPack(f"--pack is {name!r}; write {', '.join(PACKS)} or a folder with rules")
    return read_pack(Path(name), written)


def read_pack(folder: Path, written: str = "") -> Pack:
    """The pack of a folder. written: the folder as a user writes it, where this is a copy of it. Raises BadPack."""
    fields, problems = _fields(folder)
    name = str(fields.get("name", folder.resolve().name))
    extends = fields.get("extends", TRAINING.name)
    base = PACKS.get(str(extends), _EMPTY)
    if name in PACKS:
        problems.append(f"{folder / FILE}: the name is {name!r}, as of a pack of gpucluster; write another")
    if extends not in (*PACKS, _NONE):
        problems.append(f"{folder / FILE}: extends is {extends!r}; write {', '.join(PACKS)} or {_NONE}")
    below = folder.is_absolute() and folder.is_relative_to(Path.cwd())
    written = written or str(folder.relative_to(Path.cwd()) if below else folder)
    own: list[Rule] = []
    package = _package(folder)
    taken = {rule.name: "a rule of gpucluster" for rule in rules()}
    for file in sorted(file for file in folder.glob("*.py") if not file.name.startswith("_")):
        found = _rule(package, file)
        if isinstance(found, Rule) and found.name in taken:
            found = f"{file}: `{found.name}` is {taken[found.name]}; give the rule another name"
        if isinstance(found, Rule):
            own.append(replace(found, folder=written))
            taken[found.name] = f"the rule of {file.name}"
        else:
            problems.append(found)
    if not own and not problems and (base is _EMPTY or not (folder / FILE).is_file()):
        problems.append(f"{folder} has no rule; write one in a file such as {folder / 'allowed_machines.py'}")
    mandatory = frozenset(rule.name for rule in own if _stops(rule, base))
    pack = replace(
        base,
        name=name,
        version=str(fields.get("version", "")),
        description=str(fields.get("description", f"Rules of {name}")),
        rules=tuple(sorted((*base.rules, *own), key=place)),
        mandatory=base.mandatory | mandatory,
    )
    if not problems:  # settings of a rule that cannot be read would be unknown
        try:
            written = json.dumps(fields.get("settings", {}), default=str)  # YAML reads days as dates
            pack = replace(pack, settings=read_settings(written, pack.rules))
        except BadSettings as error:
            problems = [f"{folder / FILE}: {line}" for line in str(error).splitlines()]
    if problems:
        raise BadPack("\n".join(problems))
    return pack


def own_rules(pack: Pack) -> frozenset[str]:
    """Names of the rules that a folder adds."""
    return frozenset(rule.name for rule in pack.rules) - {rule.name for rule in rules()}


def _stops(rule: Rule, base: Pack) -> bool:
    """Whether a company's rule is mandatory beside the rules of a pack."""
    if base.name == PRODUCTION.name:
        return not isinstance(rule, ReportRule)
    return base.name != BASELINE.name and rule.enforcement is Enforcement.MANDATORY


def fields_of(folder: Path) -> Mapping[str, Any]:
    """The fields of a pack's file."""
    return _fields(folder)[0]


def _fields(folder: Path) -> tuple[Mapping[str, Any], list[str]]:
    """The fields of its file, and what is wrong with them."""
    file = folder / FILE
    if not file.is_file():
        return {}, []
    try:
        document = read(file)
    except BadYaml as error:
        return {}, [f"{file}, {error}"]
    fields: object = document.data or {}
    if not is_object(fields):
        return {}, [f"{file} is not a map; write {', '.join(_FIELDS)}"]
    known = ", ".join(_FIELDS)
    wrong = [f"{file}, {fault}" for fault in document.faults]
    wrong += [f"{file}: unknown field `{name}`; it is one of: {known}" for name in fields if name not in _FIELDS]
    if not is_object(fields.get("settings", {})):
        wrong.append(f"{file}: settings is not a map of rule names")
    return fields, wrong


def _rule(package: str, file: Path) -> Rule | str:
    """The rule of a file, or what is wrong with it."""
    before, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # the folder is the user's
    try:
        with redirect_stdout(sys.stderr):
            module = import_module(f"{package}.{file.stem}")
    except SyntaxError as error:
        return f"{file.with_name(Path(error.filename or file).name)}, line {error.lineno}: {error.msg}"
    except (Exception, SystemExit) as error:  # the code of a company may do anything
        frames = traceback.extract_tb(error.__traceback__)
        at = next((frame for frame in reversed(frames) if Path(frame.filename).parent == file.parent), None)
        return f"{file}{f', line {at.lineno}' if at else ''}: {type(error).__name__}: {error}"
    finally:
        sys.dont_write_bytecode = before
    rule = getattr(module, "RULE", None)
    if not isinstance(rule, Rule):
        return f"{file} has no RULE; set it to a StackRule of gpucluster.rules, or name the file _{file.name}"
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", rule.name) or rule.name == "all":
        return f"{file}: the name is {rule.name!r}; write lower-case words with hyphens, such as allowed-machines"
    return rule


def _package(folder: Path) -> str:
    """A new package of the folder's files, so that they can import each other with a dot; its name."""
    name = f"gpucluster_pack_{hashlib.sha256(str(folder.resolve()).encode()).hexdigest()[:16]}"
    for module in [module for module in sys.modules if module.partition(".")[0] == name]:
        del sys.modules[module]
    sys.modules[name] = ModuleType(name)
    sys.modules[name].__path__ = [str(folder)]
    invalidate_caches()
    return name
