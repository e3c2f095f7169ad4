"""Custom objects: checked by a model of their kind before they are registered, because no SDK types them.

A model's fields bear Kubernetes' own names; `description` says what a field allows, `examples` what to write instead.
"""

import difflib
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, cast, get_args

import pulumi
from pulumi_kubernetes.apiextensions import CustomResource
from pulumi_kubernetes.meta.v1 import ObjectMetaArgs
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator
from pydantic_core import ErrorDetails

from gpucluster.components.kubernetes.syntax import key_problem, label_problem, name_problem, quantity_problem
from gpucluster.components.plan import PlanError

__all__ = ["Amount", "Later", "Part", "Spec", "Text", "check", "custom_object", "label_problems", "well_formed_labels"]


def _later(value: Any, check_now: ValidatorFunctionWrapHandler) -> Any:
    return cast(Any, value) if isinstance(value, pulumi.Output) else check_now(value)


Later = WrapValidator(_later)
"""Marks a field that another resource may give: checked now where the value is known, by the API server else."""


def _amount(value: Any, check_now: ValidatorFunctionWrapHandler) -> Any:
    text: Any = check_now(value)
    allowed = quantity_problem(text)
    if allowed is not None:
        raise ValueError(f"is {text!r}; allowed: {allowed}; write 100Gi, 8 or 500m")
    return text


Text = Annotated[str, Field(min_length=1, description="text that is not empty"), Later]
Amount = Annotated[str, WrapValidator(_amount)]


class Part(BaseModel):
    """A part of an object: unknown keys are errors, and no value is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class Spec(Part):
    """The `spec` of a kind. nested: False where its fields stand beside `metadata` instead."""

    api_version: ClassVar[str]
    kind: ClassVar[str]
    nested: ClassVar[bool] = True

    @classmethod
    def name_problem(cls, name: str) -> str | None:
        """What is allowed for the name of an object of this kind, None for one that fits."""
        return name_problem(name)


def label_problems(labels: Mapping[str, str]) -> list[str]:
    """Problems of labels, each as the end of a sentence that starts with their field."""
    problems: list[str] = []
    for key, value in labels.items():
        if (allowed := key_problem(key)) is not None:
            problems.append(f"has the key {key!r}; allowed: {allowed}; change it")
        if (allowed := label_problem(value)) is not None:
            problems.append(f"has {key}: {value!r}; allowed: {allowed}; change it")
    return problems


def well_formed_labels(labels: dict[str, str]) -> dict[str, str]:
    """For fields of models. Raises ValueError with every problem, a line each."""
    if problems := label_problems(labels):
        raise ValueError("\n".join(problems))
    return labels


def custom_object(
    name: str,
    spec_model: type[Spec],
    spec: Mapping[str, Any],
    *,
    object_name: str,
    labels: Mapping[str, str],
    namespace: pulumi.Input[str] | None = None,
    annotations: Mapping[str, str] | None = None,
    opts: pulumi.ResourceOptions,
) -> pulumi.CustomResource:
    """Registers a custom object. namespace: of a kind that stands in one. Raises PlanError with everything wrong in its
    name or its spec.
    """
    subject = f"{spec_model.kind} {object_name}"
    allowed = spec_model.name_problem(object_name)
    if allowed is not None:
        raise PlanError([f"{subject}: metadata.name is {object_name!r}; allowed: {allowed}; change it"])
    check(spec_model, spec, subject, at="spec")
    metadata = ObjectMetaArgs(
        name=object_name,
        namespace=namespace,
        labels=dict(labels),
        annotations=dict(annotations) if annotations else None,
    )
    version, kind = spec_model.api_version, spec_model.kind
    if not spec_model.nested:
        # The SDK's class has no place for fields beside a spec.
        members = {"apiVersion": version, "kind": kind, "metadata": metadata, **spec}
        return pulumi.CustomResource(f"kubernetes:{version}:{kind}", name, members, opts)
    return CustomResource(name, api_version=version, kind=kind, metadata=metadata, spec=dict(spec), opts=opts)


def check(model: type[Part], value: Mapping[str, Any], subject: str, *, at: str) -> None:
    """Raises PlanError with everything in `value` that its model refuses. at: the field that holds it."""
    try:
        model.model_validate(dict(value))
    except ValidationError as error:
        found = [line for details in error.errors(include_url=False) for line in _say(model, details, at)]
        raise PlanError([f"{subject}: {line}" for line in found]) from None


def _say(model: type[Part], details: ErrorDetails, at: str) -> Iterator[str]:
    """The field, its value, what is allowed, what to change."""
    where = at + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in details["loc"])
    owner, allowed, example = _field(model, details["loc"])
    value = details["input"]
    match details["type"]:
        case "value_error":
            for line in str(details.get("ctx", {}).get("error", details["msg"])).split("\n"):
                yield f"{where} {line}"
        case "extra_forbidden":
            key = str(details["loc"][-1])
            fields = sorted(owner.model_fields)
            yield f"{where} is not a field; allowed: {', '.join(fields) or 'none'}; {_instead(model, key, fields, at)}"
        case "missing":
            yield f"{where} is missing; allowed: {allowed or 'any value'}; add it{_such(example)}"
        case "literal_error":
            options = str(details.get("ctx", {}).get("expected", "")).replace("'", "").replace(" or ", ", ").split(", ")
            close = _nearest(str(value), options)
            change = f"write {close}" if close else "write one of these"
            yield f"{where} is {value!r}; allowed: {', '.join(options)}; {change}"
        case "string_too_short":
            yield f"{where} is {value!r}; allowed: {allowed or 'text that is not empty'}; change it{_such(example)}"
        case _:
            shown = repr(value) if isinstance(value, str | int | float | bool) else f"a {type(value).__name__}"
            yield f"{where} is {shown}; allowed: {allowed or details['msg']}; change it{_such(example)}"


def _such(example: str | None) -> str:
    return f", as in {example}" if example else ""


def _field(model: type[BaseModel], loc: tuple[int | str, ...]) -> tuple[type[BaseModel], str | None, str | None]:
    """(model that holds the last step, description, example) of the field at a place."""
    owner, description, example = model, None, None
    inner: type[BaseModel] | None = model
    for step in loc:
        if isinstance(step, int) or inner is None:
            continue
        owner = inner
        info = inner.model_fields.get(step)
        if info is None:
            return owner, None, None
        description, example = info.description, str(info.examples[0]) if info.examples else None
        inner = next(_models(info.annotation), None)
    return owner, description, example


def _instead(model: type[BaseModel], key: str, fields: list[str], at: str) -> str:
    """What to do with a key that stands where it is not allowed."""
    elsewhere = [f"{at}.{path}" for path in _paths(model) if path.rpartition(".")[2] == key]
    if elsewhere:
        return f"move it to {elsewhere[0]}"
    close = _nearest(key, fields)
    return f"write {close}" if close else "remove it"


def _nearest(text: str, options: list[str]) -> str | None:
    lower = {option.lower(): option for option in options}
    close = difflib.get_close_matches(text.lower(), lower, n=1)
    return lower[close[0]] if close else None


def _paths(model: type[BaseModel], before: str = "") -> Iterator[str]:
    for name, info in model.model_fields.items():
        yield f"{before}{name}"
        for inner in _models(info.annotation):
            yield from _paths(inner, f"{before}{name}.")


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models(inner)
