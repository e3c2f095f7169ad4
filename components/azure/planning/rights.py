"""What the identity that runs `up` must be allowed to do, as questions to the account. Imports no Pulumi."""

from __future__ import annotations

from typing import Final

from gpucluster.core.program.questions import Question

ASSIGN: Final = "Microsoft.Authorization/roleAssignments/write"
TAKE_BACK: Final = "Microsoft.Authorization/roleAssignments/delete"


def rights_question(what: str, scope: str, *actions: str, types: tuple[str, ...] = (), note: str = "") -> Question:
    """what: the identity must be able to do, as text. scope: id of a subscription or of a resource group. types: of
    resources, all of whose actions are needed besides.
    """
    return Question(
        about="rights",
        subject=scope,
        needed=f"every action of {len(types)} types" if types else f"{len(actions)} action{'s' if actions[1:] else ''}",
        title=f"right to {what}",
        details={"actions": " ".join(actions), "types": " ".join(types)},
        note=note,
    )
