"""Questions to the machine that runs `up`: programs that the kubeconfig calls, disk, registries of charts, address."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.account.programs import Program, programs_of
from gpucluster.operate.preflight.answers import Account, Answer, Asker, fine, refused
from gpucluster.operate.preflight.charts import ABOUT as CHARTS
from gpucluster.operate.preflight.charts import QUESTION, addresses, registry_asker
from gpucluster.operate.preflight.declared import Declared
from gpucluster.operate.preflight.own_address import ABOUT, TELLS, address_questions, asker_at

_GIB: Final = 1024**3
_WANTED_GIB: Final = 4
"""A judgement, not a limit of Pulumi's: it unpacks a plugin for each provider, some of hundreds of MB."""


def questions_of(cloud: str, ranges: Sequence[str] = ()) -> list[Question]:
    """What `up` needs on this machine. ranges: from which the cluster's API is open; none if it is private."""
    found = [
        # `up` itself asks the API server without kubectl.
        Question(about="program", subject=name, place="this machine", decides=name != "kubectl")
        for name in programs_of(cloud)
    ]
    disk = Question(
        about="disk",
        subject=".",
        needed=_WANTED_GIB,
        unit="GiB",
        title="free disk space",
        place="this machine",
        decides=False,
    )
    return [*found, disk, QUESTION, *address_questions(cloud, ranges)]


def this_machine(cloud: str, folder: Path, declared: Callable[[], Declared]) -> Account:
    """folder: of the project. declared: by the plan's program."""
    programs = programs_of(cloud)

    def ask_programs(questions: Sequence[Question]) -> list[Answer]:
        return [_program(question, programs[question.subject]) for question in questions]

    def ask_disk(questions: Sequence[Question]) -> list[Answer]:
        free = shutil.disk_usage(folder).free // _GIB
        return [
            fine(one, f"{free:,} GiB") if free >= _WANTED_GIB else refused(one, f"{free:,} GiB", "free some space")
            for one in questions
        ]

    askers: dict[str, Asker] = {
        "program": ask_programs,
        "disk": ask_disk,
        CHARTS: registry_asker(lambda: addresses(declared().charts)),
    }
    if cloud in TELLS:
        askers[ABOUT] = asker_at(TELLS[cloud])
    return Account(identity="this machine", askers=askers)


def _program(question: Question, program: Program) -> Answer:
    path = shutil.which(question.subject)
    if path:
        return fine(question, path)
    return refused(question, "not on PATH", program.fix)
