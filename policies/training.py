"""The training pack: what every GPU training cluster is held against."""

from __future__ import annotations

from typing import Final

from policies.change_rules import CHANGE_RULES
from policies.pack import Pack
from policies.rules import (
    accelerators_fit_machine,
    addresses_clear_of_reserved_ranges,
    budget,
    budget_ceiling,
    budget_undecidable,
    budget_warning,
    exemptions_in_use,
    exemptions_valid,
    fabric_interfaces_complete,
    fabric_interfaces_valid,
    fabric_traffic_allowed,
    label_values,
    no_group_on_foreign_reservation,
    no_privileged_containers,
    not_checked,
    not_known_yet,
    purchase_fits_machine,
    replacement_of_training_pool,
    required_labels,
    reservation_in_use,
    training_pool_in_one_domain,
    training_pool_in_one_zone,
    training_pool_not_on_spot,
    upgrade_keeps_jobs,
)

__all__ = ["PACK"]

_MANDATORY: Final = (
    training_pool_in_one_domain.RULE,
    training_pool_in_one_zone.RULE,
    fabric_interfaces_complete.RULE,
    fabric_interfaces_valid.RULE,
    fabric_traffic_allowed.RULE,
    addresses_clear_of_reserved_ranges.RULE,
    no_group_on_foreign_reservation.RULE,
    accelerators_fit_machine.RULE,
    purchase_fits_machine.RULE,
    upgrade_keeps_jobs.RULE,
    no_privileged_containers.RULE,
    required_labels.RULE,
    label_values.RULE,
    budget.RULE,
    exemptions_valid.RULE,
    *(rule for rule in CHANGE_RULES if rule is not replacement_of_training_pool.RULE),
)
_ADVISORY: Final = (
    training_pool_not_on_spot.RULE,
    reservation_in_use.RULE,
    replacement_of_training_pool.RULE,
    budget_warning.RULE,
    budget_ceiling.RULE,
    budget_undecidable.RULE,
    exemptions_in_use.RULE,
    not_checked.RULE,
    not_known_yet.RULE,
)

PACK: Final = Pack(
    name="training",
    description="Co-location, labels and budget of GPU training clusters",
    rules=(*_MANDATORY, *_ADVISORY),
    mandatory=frozenset(rule.name for rule in _MANDATORY),
)
