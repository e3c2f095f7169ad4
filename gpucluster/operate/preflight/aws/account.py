"""The account of a plan, and who answers which question."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gpucluster.components.aws.location import Location, partition
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller, caller_at
from gpucluster.operate.clients.aws.errors import explained
from gpucluster.operate.preflight.answers import Account, Answer, Asker, fine, refused, unknown
from gpucluster.operate.preflight.aws.belongings import ask_bucket, ask_file_system, ask_key, ask_topic
from gpucluster.operate.preflight.aws.networks import network_asker
from gpucluster.operate.preflight.aws.own import Own
from gpucluster.operate.preflight.aws.places import ask_offers, ask_zones
from gpucluster.operate.preflight.aws.quotas import ask_blocks, ask_quota
from gpucluster.operate.preflight.aws.requests import one_by_one
from gpucluster.operate.preflight.aws.reservations import ask_group, ask_reservation
from gpucluster.operate.preflight.aws.rights import ask_rights, ask_role
from gpucluster.operate.preflight.aws.versions import ask_addons, ask_images, ask_kubernetes
from gpucluster.operate.preflight.declared import Declared


def open_account(plan: Any, location: Location, declared: Callable[[], Declared]) -> Account:
    """The account of the login, in the role of the location if it has one. declared: by the program of the plan. Raises
    CannotAsk without usable credentials, and for another account than the location's.
    """
    caller = caller_at(location)
    return Account(
        identity=f"account {caller.account} as {caller.arn.split(':', 5)[-1]}, {caller.region}",
        askers=_askers(caller, plan, declared),
        explained=explained,
    )


def _askers(caller: Caller, plan: Any, declared: Callable[[], Declared]) -> Mapping[str, Asker]:
    own = Own(caller, name=plan.name, stack=getattr(plan, "stack", ""))
    networks = network_asker(caller)
    return {
        "account": lambda questions: [_ask_account(caller, question) for question in questions],
        "add-on": lambda questions: ask_addons(caller, questions),
        "blocks": one_by_one(lambda question: ask_blocks(caller, question)),
        "bucket": one_by_one(lambda question: ask_bucket(caller, question)),
        "file system": _no_api,
        "file system of yours": one_by_one(lambda question: ask_file_system(caller, question)),
        "image": lambda questions: ask_images(caller, questions),
        "key": one_by_one(lambda question: ask_key(caller, question)),
        "kubernetes": one_by_one(lambda question: ask_kubernetes(caller, question)),
        "network": networks,
        "offer": lambda questions: ask_offers(caller, questions),
        "quota": one_by_one(lambda question: ask_quota(caller, own, question)),
        "reservation": one_by_one(lambda question: ask_reservation(caller, own, question)),
        "reservations": one_by_one(lambda question: ask_group(caller, own, question)),
        "rights": one_by_one(lambda question: ask_rights(caller, declared().types, question)),
        "role": one_by_one(lambda question: ask_role(caller, question)),
        "subnet": networks,
        "topic": one_by_one(lambda question: ask_topic(caller, question)),
        "zone": lambda questions: ask_zones(caller, questions),
    }


def _ask_account(caller: Caller, question: Question) -> Answer:
    """Only the partition can differ: another account has been refused before."""
    found = caller.arn.split(":")[1]
    text = f"account {caller.account}, partition {found}"
    if found == partition(caller.region):
        return fine(question, text)
    return refused(question, text, f"log in to an account of partition {partition(caller.region)}")


def _no_api(questions: Sequence[Question]) -> Sequence[Answer]:
    why = "no API of AWS tells which tiers FSx sells in a zone"
    return [
        unknown(question, why, "`up` tells; the plan has them from FSx's table of regions") for question in questions
    ]
