"""The resources of Amazon Managed Service for Prometheus in use, without the others of `pulumi_aws.amp`."""

from __future__ import annotations

from gpucluster.components.lazy_sdk import without_the_rest

with without_the_rest("pulumi_aws.amp"):
    from pulumi_aws.amp._inputs import (
        ScraperDestinationAmpArgs,
        ScraperDestinationArgs,
        ScraperSourceArgs,
        ScraperSourceEksArgs,
    )
    from pulumi_aws.amp.alert_manager_definition import AlertManagerDefinition
    from pulumi_aws.amp.rule_group_namespace import RuleGroupNamespace
    from pulumi_aws.amp.scraper import Scraper
    from pulumi_aws.amp.workspace import Workspace

__all__ = [
    "AlertManagerDefinition",
    "RuleGroupNamespace",
    "Scraper",
    "ScraperDestinationAmpArgs",
    "ScraperDestinationArgs",
    "ScraperSourceArgs",
    "ScraperSourceEksArgs",
    "Workspace",
]
