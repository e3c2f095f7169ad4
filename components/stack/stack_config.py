"""A stack's configuration, from Pulumi or from its file: spec, cloud, location, pause; and every mistake in it. Imports
no Pulumi.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final, cast

import yaml
from pydantic import AfterValidator, SecretStr, ValidationInfo, field_validator

from gpucluster.components.cluster.cloud import CLOUDS, ClusterPlan, cloud_of
from gpucluster.components.planning.planning import Planning
from gpucluster.components.planning.problem import BadSpecValue, Keys, Problem, Switch, choices, did_you_mean
from gpucluster.components.spec.cluster import ClusterSpec, StackSpec
from gpucluster.components.spec.file import SpecSource, read_yaml, shown_path, stack_spec
from gpucluster.components.spec.operations import Alerts, is_webhook
from gpucluster.components.spec.pools import Purchase
from gpucluster.core.text.project_file import ProjectFile, account_file, read_project
from gpucluster.errors import InputError

WEBHOOK: Final = "alertsWebhook"
"""Key of the configuration."""


def is_encrypted(value: str) -> bool:
    """Whether it is encrypted as in a stack's file, readable only for Pulumi."""
    return value.startswith('{"secure":')


def _url(value: SecretStr) -> SecretStr:
    """An encrypted value is checked when Pulumi passes it decrypted."""
    text = value.get_secret_value()
    if not is_encrypted(text) and not is_webhook(text):
        fix = f"run pulumi config set --secret gpucluster:{WEBHOOK} https://alerts.example.com/gpus"
        raise BadSpecValue([Problem(WEBHOOK, "is not an https:// URL; the value is hidden", fix)])
    return value


Webhook = Annotated[SecretStr, AfterValidator(_url)]


@dataclass(frozen=True)
class WithWebhook:
    """A spec whose alerts also go to a webhook. webhook: still encrypted in a plan that is not declared."""

    source: SpecSource[StackSpec]
    webhook: SecretStr

    def read(self) -> StackSpec:
        spec = self.source.read()
        alerts = spec.telemetry.alerts or Alerts.model_construct()
        if alerts.webhook is not None:
            seen = f"is set, but so is {WEBHOOK} in the stack's configuration"
            raise self.error([Problem("telemetry.alerts.webhook", seen, "remove one of them")])
        alerts = alerts.model_copy(update={"webhook": self.webhook})
        return spec.model_copy(update={"telemetry": spec.telemetry.model_copy(update={"alerts": alerts})})

    def error(self, problems: Sequence[Problem]) -> InputError:
        return self.source.error(problems)

    def what_if(self) -> list[str]:
        return self.source.what_if()


@dataclass(frozen=True, kw_only=True)
class StackConfig:
    """spec: its source. cloud: one of CLOUDS. location: of the cluster. Each is None if it can't be used, as reported
    in `problems`. machine: type of the training nodes, None for the one that the spec implies. paused: without training
    and MIG nodes for now.

    source: name of the configuration in messages. prefix: precedes its keys, which are the fields of `problems`.
    options: the keys that a command line has options for, None for a stack, which accepts all keys. account: file of
    what the stack's account answered, which may not exist.
    """

    stack: str
    spec: SpecSource[ClusterSpec] | None
    cloud: str | None
    location: Any | None
    machine: str | None = None
    paused: bool = False
    source: str
    prefix: str
    problems: tuple[Problem, ...] = ()
    options: tuple[str, ...] | None = None
    account: Path = Path()

    def named(self, problem: Problem) -> str:
        """A problem with the key as the user writes it."""
        if self.options is None or problem.field in self.options:
            return f"{self.prefix}{problem}"
        return f"{problem}; it is a key of a stack's configuration: write it there, and check the stack with --stack"


class Configuration(Keys):
    """The keys that every cloud has. Their context: the folder that the spec's path is relative to, and the project's
    folder, which must contain the spec.
    """

    spec: str
    cloud: str
    machine: str | None = None
    paused: Switch = False
    alerts_webhook: Webhook | None = None

    @field_validator("spec")
    @classmethod
    def _inside(cls, spec: str, info: ValidationInfo) -> str:
        program, root = cast(tuple[Path, Path], info.context)
        fix = f"write the path of a file inside the project, relative to {program.name}/, such as specs/trial.yaml"
        if "\0" in spec:
            seen, fix = "which contains a NUL character", "write the path of a file, such as specs/trial.yaml"
        elif Path(spec).is_absolute():
            seen = "an absolute path, which differs between machines"
        elif not Path(os.path.normpath(program / spec)).is_relative_to(os.path.normpath(root)):
            seen = "which is outside the project"
        else:
            return spec
        raise BadSpecValue([Problem("spec", f"is {spec!r}, {seen}", fix)])

    @field_validator("cloud")
    @classmethod
    def _known(cls, cloud: str) -> str:
        if cloud not in CLOUDS:
            raise ValueError(choices(cloud, CLOUDS))
        return cloud


def stack_schema(project: str | None = None) -> str:
    """JSON Schema (draft 2020-12) of a stack's file, as text. project: namespace of our keys; None for that of the
    project here. Keys of other namespaces, and Pulumi's own fields, may have any value.
    """
    found = find_project(Path.cwd()) if project is None else None
    prefix = f"{project or (found[1].name if found else 'gpucluster')}:"
    clouds = {name: cloud_of(name) for name in CLOUDS}
    keys: dict[str, Any] = {
        alias: {"type": "string", "minLength": 1}
        for name, field in Configuration.model_fields.items()
        for alias in [field.alias or name]
    }
    for cloud in clouds.values():
        # Values are text for Pulumi, which also accepts numbers.
        keys |= {key: {"type": ["string", "number"]} for key in (*cloud.keys, *cloud.optional)}
    keys["spec"]["description"] = "Path of the spec, relative to the folder of the program"
    keys["cloud"] |= {"enum": [*CLOUDS], "description": "Cloud of the cluster; it requires the keys of its location"}
    keys["machine"]["description"] = "Machine type of the training nodes; default: what the spec implies"
    keys[PAUSED] = {"enum": [True, False, "true", "false"], "description": "Keep the training and MIG nodes at 0"}
    keys[WEBHOOK] = {"type": ["string", "object"], "description": "https:// URL that alerts are sent to, as a secret"}
    for key in dict.fromkeys(key for cloud in clouds.values() for key in cloud.keys):
        keys[key]["examples"] = [cloud.keys[key] for cloud in clouds.values() if key in cloud.keys]
    config = {
        "type": "object",
        "properties": {f"{prefix}{key}": value for key, value in keys.items()},
        "patternProperties": {f"^{re.escape(prefix)}(?!({'|'.join(keys)})$)": False},
        "required": [f"{prefix}spec", f"{prefix}cloud"],
        "allOf": [
            {
                "if": {"properties": {f"{prefix}cloud": {"const": name}}},
                "then": {
                    "required": [f"{prefix}{key}" for key in cloud.keys],
                    "properties": {
                        f"{prefix}{key}": False
                        for other in clouds.values()
                        for key in (*other.keys, *other.optional)
                        if key not in (*cloud.keys, *cloud.optional)
                    },
                },
            }
            for name, cloud in clouds.items()
        ],
    }
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Stack of a cluster",
        "type": "object",
        "properties": {"config": config},
        "required": ["config"],
    }
    return json.dumps(schema, indent=2) + "\n"


def stack_config(
    values: Mapping[str, str], *, project: str, stack: str, program: Path, root: Path, stacks: Path | None = None
) -> StackConfig:
    """The configuration of a stack, with every problem in it.

    values: every key with its namespace, as from Pulumi. project: the namespace of our keys. program: the folder that
    the spec's path is relative to. root: the project's folder, which must contain the spec. stacks: the folder of the
    stacks' files, None for that of the program.
    """
    own = {key.removeprefix(f"{project}:"): text for key, text in values.items() if key.startswith(f"{project}:")}
    # Location keys depend on the cloud; if none is chosen yet, the keys of all clouds are known.
    chosen = own.get("cloud", "")
    clouds = [cloud_of(name) for name in ((chosen,) if chosen in CLOUDS else CLOUDS)]
    required = {"spec": "specs/trial.yaml", "cloud": CLOUDS[0], **clouds[0].keys}
    optional = (key for cloud in clouds for key in (*cloud.keys, *cloud.optional))
    known = tuple(dict.fromkeys((*required, *optional, "machine", PAUSED, WEBHOOK)))
    problems: list[Problem] = []
    unknown = [key for key in own if key not in known]
    for key in unknown:
        near = did_you_mean(key, known) or f"; allowed: {', '.join(known)}"
        problems.append(Problem(key, "is not a key", near.removeprefix("; ")))
    empty = [key for key in known if key in own and not own[key].strip()]
    problems += [Problem(key, "is empty", "write a value") for key in empty]
    nested = [key for key in known if own.get(key, "").startswith(("{", "[")) and key != WEBHOOK]
    problems += [Problem(key, f"is {own[key]}", "write a single string") for key in nested]
    for key, example in required.items():
        if key not in own and not any(did_you_mean(other, [key]) for other in unknown):
            add = f"add {project}:{key}: {example}"
            if key == "spec" and not own:
                add += f", or let `gpucluster init --stack {stack}` write spec and configuration"
            problems.append(Problem(key, "is missing", f"{add}{_elsewhere(f'{project}:{key}', values)}"))
    given = {key: text for key, text in own.items() if key in known and key not in (*empty, *nested)}
    found = Configuration.read(given, (program, root))
    wrong = found if isinstance(found, list) else []
    valid = {key: text for key, text in given.items() if key not in {problem.field for problem in wrong}}
    location: Any | None = None
    if "cloud" in valid or "cloud" not in given:
        location, misplaced = clouds[0].locate(given)
        wrong = [*wrong, *misplaced]
    spec, webhook = valid.get("spec"), valid.get(WEBHOOK)
    return StackConfig(
        stack=stack,
        spec=None if spec is None else _source(program / spec, webhook),
        cloud=valid.get("cloud"),
        location=location,
        machine=valid.get("machine"),
        paused=valid.get(PAUSED) == "true",
        source=f"configuration of stack {stack}",
        prefix=f"{project}:",
        problems=(*problems, *wrong),
        account=account_file(stacks or program, stack),
    )


def _source(spec: Path, webhook: str | None) -> SpecSource[ClusterSpec]:
    source = stack_spec(spec)
    return source if webhook is None else WithWebhook(source, SecretStr(webhook))


def _elsewhere(key: str, values: Mapping[str, str]) -> str:
    """A similar key of another namespace."""
    near = did_you_mean(key, [other for other in values if other.partition(":")[0] != key.partition(":")[0]])
    return near.replace("; did you mean", ", or correct").rstrip("?")


_WHAT = "a stack's file is a mapping with config:"


def read_stack(stack: str, folder: Path) -> StackConfig:
    """The configuration of a stack of the project at or above `folder`, with every problem in it.

    Raises InputError if its file can't be read.
    """
    root, project = _project(stack, folder)
    program = root / project.main
    stacks = root / project.stack_folder
    path = stacks / f"Pulumi.{stack}.yaml"
    if not path.exists():
        known = sorted(file.name[len("Pulumi.") : -len(".yaml")] for file in stacks.glob("Pulumi.*.yaml"))
        listed = f"; stacks here: {', '.join(known) or 'none yet'}{did_you_mean(stack, known)}"
        raise InputError(f"stack {stack}", [f"{shown_path(path)} does not exist{listed}"])
    if not path.read_bytes().strip():
        return stack_config({}, project=project.name, stack=stack, program=program, root=root, stacks=stacks)
    file = read_yaml(path, what=_WHAT)
    if twice := [str(fault) for fault in file.faults if fault.repeats]:  # Pulumi itself reads the values
        raise InputError(file.source, twice)
    config: Any = file.data.get("config") or {}
    if not isinstance(config, dict):
        raise InputError(file.source, ["config is not a mapping; write a mapping from keys to values"])
    values = {str(key): _text(value) for key, value in cast(Mapping[Any, Any], config).items()}
    return stack_config(values, project=project.name, stack=stack, program=program, root=root, stacks=stacks)


def project_of(stack: str, folder: Path) -> str:
    """The name of the project of a stack. Raises InputError if there is none."""
    return _project(stack, folder)[1].name


def find_project(folder: Path) -> tuple[Path, ProjectFile] | None:
    """Folder and file of the project at or above a folder; None without one."""
    root = next((place for place in (folder, *folder.parents) if (place / "Pulumi.yaml").is_file()), None)
    return None if root is None else (root, read_project(root / "Pulumi.yaml"))


def _project(stack: str, folder: Path) -> tuple[Path, ProjectFile]:
    found = find_project(folder)
    if found is None:
        raise InputError(f"stack {stack}", [f"{folder} and its parents have no Pulumi.yaml; run this in the project"])
    return found


def _text(value: Any) -> str:
    """A value as the program sees it: Pulumi passes text, and JSON for nested values."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | dict | list):
        return json.dumps(value, separators=(",", ":"))
    return yaml.safe_dump(value).split("\n")[0]


PAUSED: Final = "paused"
"""The key of a stack's configuration that pauses it."""

_NOTE: Final = (
    "paused: training and MIG pools have 0 nodes; jobs wait in their queues until `gpucluster resume`; elastic pools "
    "still scale with their jobs"
)


def refuse_pause(purchase: Purchase, planning: Planning[Any]) -> None:
    """A cluster that can't be paused."""
    if purchase.kind == "flex-start":
        seen = "is 'true', but flex-start nodes exist only while a job runs"
        planning.refuse_config(PAUSED, seen, "remove it: without jobs there are no nodes")


def paused(plan: ClusterPlan) -> ClusterPlan:
    """The plan with 0 nodes in its training pool, as before a capacity block begins, and in its MIG pool."""
    given: Any = plan
    # Without GPUs, a GPU-hour has no price.
    facts = replace(plan.facts, training_gpus=None, spare_gpus=None, paused=True, notes=(*plan.facts.notes, _NOTE))
    mig = None if given.mig is None else replace(given.mig, nodes=0)
    return replace(given, training=replace(given.training, active=False), mig=mig, facts=facts)
