"""Losses when a plan deletes, replaces or shrinks a resource.

The real provider replaces an FSx for Lustre file system that shrinks, whatever the plan of another provider shows
(hashicorp/terraform-provider-aws, internal/service/fsx/lustre_file_system.go); no cloud keeps data that do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from gpucluster.core.catalog.resource_types import ENCRYPTION_KEY, SHARED_STORAGE, Holding, holdings
from gpucluster.core.program.readers.deletions import Deletion
from gpucluster.core.program.resources import UNKNOWN, Resource, Resources
from gpucluster.core.program.values import BadValue, amount, at, flag, text
from gpucluster.policies.engine.rule import CannotTell, Changes, Finding, Violation


def types(holds: str) -> str:
    """The types that hold it, for `reads` of a rule."""
    return ", ".join(type_ for type_, holding in holdings().items() if holding.holds == holds and holding.lost_on)


def losses(changes: Changes, holds: str) -> Iterator[tuple[Resource, Finding]]:
    """Each ended resource that loses what `holds` says, and the finding. Resources kept in the cloud are no loss.

    If only a replacement is a loss, a deletion counts when the same plan creates a resource of the same type: the
    effect of a new name without an alias.
    """
    for ended, old in changes.gone():
        holding = holdings().get(old.type)
        if holding is None or holding.holds != holds or not holding.lost_on or ended.retained:
            continue
        what = _what(ended, changes, holding)
        if what is None:
            continue
        forced = True if holding.only_if is None else _set(old, holding.only_if)
        if forced is UNKNOWN:
            yield old, CannotTell(old, f"{what}; whether `{holding.only_if}` is set is not known")
        elif forced:
            yield old, Violation(old, what)


def shrinking(changes: Changes, holds: str) -> Iterator[Finding]:
    """Resources that stay, with less capacity than before."""
    ended = {one.urn for one in changes.ended}
    for type_, holding in holdings().items():
        for old in changes.before.of_type(type_) if holding.holds == holds and holding.size else ():
            new = changes.after.get(old.urn)
            if new is None or old.urn in ended:
                continue
            before, after = at(old.inputs, *holding.size), at(new.inputs, *holding.size)
            way = ".".join(holding.size)
            if after is UNKNOWN and before is not UNKNOWN:
                yield CannotTell(new, f"whether {holds} shrinks: `{way}` is not known yet")
            elif (most := _number(before)) is not None and (least := _number(after)) is not None and least < most:
                yield Violation(new, f"{holds} shrinks: `{way}` from {before} to {after}")


def ending(changes: Changes, holds: str) -> Iterator[Finding]:
    """Resources that stay, with an end that they did not have, or an earlier one (RFC 3339, which sorts as text)."""
    ended = {one.urn for one in changes.ended}
    for type_, holding in holdings().items():
        for old in changes.before.of_type(type_) if holding.holds == holds and holding.end else ():
            new = changes.after.get(old.urn)
            if new is None or old.urn in ended:
                continue
            before, after = text(old.inputs, str(holding.end)), text(new.inputs, str(holding.end))
            if after is UNKNOWN and before is not UNKNOWN:
                yield CannotTell(new, f"whether {holds} ends earlier: `{holding.end}` is not known yet")
            elif isinstance(after, str) and (before is None or (isinstance(before, str) and after < before)):
                yield Violation(
                    new, f"{holds} ends on {after[:16]}, before: {str(before)[:16] if before else 'no end'}"
                )


def unreadable(changes: Changes) -> Iterator[Finding]:
    """Shared storage that stays, whose encryption key the plan deletes or replaces."""
    for key, finding in losses(changes, ENCRYPTION_KEY):
        for urn in _dependents(changes.before, key):
            kept = changes.after.get(urn)
            if kept is not None and urn not in {one.urn for one in changes.ended}:
                what = f"`{key.name}`, the encryption key of this storage, is deleted or replaced: nothing can read it"
                yield Violation(kept, what) if isinstance(finding, Violation) else CannotTell(kept, finding.what)


def _dependents(resources: Resources, key: Resource) -> Iterator[str]:
    stored = [type_ for type_, holding in holdings().items() if holding.holds == SHARED_STORAGE]
    for resource in resources.of_type(*stored):
        if any(key.urn in urns for urns in resource.dependencies.values()):
            yield resource.urn


def _number(value: object) -> Decimal | None:
    try:
        return amount(value, "size")
    except BadValue:
        return None


def _set(old: Resource, name: str) -> object:
    """The flag as the provider will read it: from the state if the inputs do not set it."""
    own = flag(old.inputs, name)
    return flag(old.outputs, name) if own is None else own


def _what(ended: Deletion, changes: Changes, holding: Holding) -> str | None:
    if ended.how == "replaced":
        because = f", because of {', '.join(f'`{reason}`' for reason in ended.because)}" if ended.because else ""
        return f"{holding.holds} is replaced{because}"
    if "delete" in holding.lost_on:
        return f"{holding.holds} is deleted"
    made = changes.made(ended.type)
    return f"{holding.holds} is deleted, and `{made.name}` is created in its place" if made else None
