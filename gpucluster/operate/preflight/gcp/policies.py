"""Organization policies that can stop `up`, as they apply to the project.

Source: Organization Policy API v2, discovery document; Organization Policy documentation, "Restricting resource
locations" (value groups such as in:us-central1-locations).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.gcp.client import Client, Reading, each
from gpucluster.operate.preflight.answers import Answer, fine, refused, unknown


class _Values(Reading):
    allowed_values: Sequence[str] = ()
    denied_values: Sequence[str] = ()


class _Rule(Reading):
    allow_all: bool = False
    deny_all: bool = False
    enforce: bool = False
    values: _Values = _Values()


class _Spec(Reading):
    rules: Sequence[_Rule] = ()


class _Policy(Reading):
    spec: _Spec = _Spec()


def ask_policies(client: Client, questions: Sequence[Question]) -> list[Answer]:
    """Whether each policy allows what the plan does."""
    return each(partial(_policy, client), questions)


def _policy(client: Client, question: Question) -> Answer:
    name = f"projects/{client.project}/policies/{question.subject}"
    found = client.ask("orgpolicy:v2", "projects.policies.getEffectivePolicy", _Policy, name=name)
    command = f"gcloud org-policies describe {question.subject} --project={client.project} --effective"
    rules = found.spec.rules
    if any(rule.deny_all or rule.enforce for rule in rules):
        return refused(
            question, "denies all" if any(rule.deny_all for rule in rules) else "enforced", _EXCEPTION, command
        )
    wanted = question.details["values"].split()
    denied = [value for rule in rules for value in rule.values.denied_values]
    allowed = [value for rule in rules for value in rule.values.allowed_values]
    stopped = [value for value in wanted if any(_covers(one, value) for one in denied)]
    if stopped:
        return refused(question, f"denies {', '.join(stopped)}", _EXCEPTION, command)
    if not allowed or any(rule.allow_all for rule in rules):
        return fine(question, "allowed")
    if question.subject in _NAMED:
        return unknown(question, f"allows only {', '.join(allowed)}", _COMPARE, command)
    lacking = [value for value in wanted if not any(_covers(one, value) for one in allowed)]
    if not lacking:
        return fine(question, "allowed")
    if any(one.startswith(_GROUP) for one in allowed):
        return unknown(question, f"allows only {', '.join(allowed)}", _COMPARE, command)
    return refused(question, f"does not allow {', '.join(lacking)}", _EXCEPTION, command)


_EXCEPTION: Final = "ask who manages the policies for an exception for this project"
_COMPARE: Final = "find out whether they include what the plan needs"
_GROUP: Final = "in:"
_NAMED: Final = frozenset({"compute.restrictVpcPeering", "compute.restrictCloudNATUsage"})
"""Policies whose values name resources and folders, which the plan does not have yet."""


def _covers(value: str, wanted: str) -> bool:
    """Whether a value of a policy certainly includes what is wanted: itself, or the group of a region."""
    return value.removeprefix("is:") == wanted or value in (f"{_GROUP}{wanted}-locations", f"{_GROUP}{wanted}")
