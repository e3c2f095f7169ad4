"""Questions to the machine that runs `up`: the programs that the kubeconfig calls, and room on its disk."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from gpucluster.core.program.questions import Question
from gpucluster.operate.preflight.answers import Account, Answer, fine, refused

_GIB: Final = 1024**3
_WANTED_GIB: Final = 4
"""A judgement, not a limit of Pulumi's: it unpacks a plugin for each provider, some of hundreds of MB."""


@dataclass(frozen=True, kw_only=True)
class _Program:
    """use: who needs it. install: how one gets it."""

    use: str
    install: str


_PROGRAMS: Final[Mapping[str, Mapping[str, _Program]]] = {
    "": {
        "pulumi": _Program(use="`pulumi up` needs it", install="www.pulumi.com/docs/install"),
        "kubectl": _Program(use="the commands that follow `up` need it", install="kubernetes.io/docs/tasks/tools"),
    },
    "aws": {"aws": _Program(use="the kubeconfig calls it for a token", install="docs.aws.amazon.com/cli")},
    "gcp": {
        "gcloud": _Program(
            use="gke-gcloud-auth-plugin calls it for a token", install="cloud.google.com/sdk/docs/install"
        ),
        "gke-gcloud-auth-plugin": _Program(
            use="the kubeconfig calls it for a token", install="gcloud components install gke-gcloud-auth-plugin"
        ),
    },
    "azure": {
        "az": _Program(use="kubelogin calls it for a token", install="learn.microsoft.com/cli/azure/install-azure-cli"),
        "kubelogin": _Program(use="the kubeconfig calls it for a token", install="az aks install-cli"),
    },
}
"""Cloud, or none for every one -> program."""


def questions_of(cloud: str) -> list[Question]:
    """What `up` needs on this machine."""
    programs = {**_PROGRAMS[""], **_PROGRAMS[cloud]}
    found = [
        # `up` itself asks the API server without kubectl.
        Question(about="program", subject=name, place="this machine", decides=name != "kubectl")
        for name in programs
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
    return [*found, disk]


def this_machine(cloud: str, folder: Path) -> Account:
    """folder: of the project."""
    programs = {**_PROGRAMS[""], **_PROGRAMS[cloud]}

    def ask_programs(questions: Sequence[Question]) -> list[Answer]:
        return [_program(question, programs[question.subject]) for question in questions]

    def ask_disk(questions: Sequence[Question]) -> list[Answer]:
        free = shutil.disk_usage(folder).free // _GIB
        return [
            fine(one, f"{free:,} GiB") if free >= _WANTED_GIB else refused(one, f"{free:,} GiB", "free some space")
            for one in questions
        ]

    return Account(identity="this machine", askers={"program": ask_programs, "disk": ask_disk})


def _program(question: Question, program: _Program) -> Answer:
    path = shutil.which(question.subject)
    if path:
        return fine(question, path)
    return refused(question, "not on PATH", f"{program.use}; install it: {program.install}")
