"""What EKS offers for a version of Kubernetes: support, builds of add-ons, images of nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from gpucluster.core.catalog.kubernetes_versions import minor
from gpucluster.core.program.questions import Question
from gpucluster.operate.clients.aws.caller import Caller
from gpucluster.operate.preflight.answers import Answer, fine, refused

_EXTENDED: Final = "EXTENDED_SUPPORT"
_STANDARD: Final = "STANDARD_SUPPORT"
_SHOWN: Final = 4

# Source: Amazon EKS user guide, retrieve-ami-id; names of images: awslabs/amazon-eks-ami, CHANGELOG.
_FAMILY: Final = "/aws/service/eks/optimized-ami/{version}/amazon-linux-2023/x86_64/{kind}"
_NEWEST: Final = _FAMILY + "/recommended/release_version"
_PINNED: Final = _FAMILY + "/amazon-eks-node-al2023-x86_64-{kind}-{version}-v{day}/image_id"


def ask_kubernetes(caller: Caller, question: Question) -> Answer:
    """Whether EKS offers the version, with the support of the spec."""
    client, version = caller.client("eks"), question.subject
    found = client.describe_cluster_versions(clusterVersions=[version], includeAll=True)["clusterVersions"]
    show = f"aws eks describe-cluster-versions --region {caller.region}"
    if not found or found[0].get("versionStatus") not in (_STANDARD, _EXTENDED):
        return refused(question, "EKS does not offer it", "write another versions.kubernetes", show)
    one = found[0]
    if one["versionStatus"] == _STANDARD:
        return fine(question, f"standard support{_until(one.get('endOfStandardSupportDate'))}")
    text = f"extended support{_until(one.get('endOfExtendedSupportDate'))}"
    if question.needed == "extended support":
        return fine(question, text)
    return refused(question, text, "write a newer versions.kubernetes, or versions.support: extended", show)


def _until(end: Any) -> str:
    return f" until {end:%Y-%m-%d}" if end else ""


def ask_addons(caller: Caller, questions: Sequence[Question]) -> list[Answer]:
    """All of Amazon's add-ons for the version in one answer of some pages."""
    builds: dict[str, dict[str, Mapping[str, Any]]] = {}
    for version in {question.details["kubernetes"] for question in questions}:
        builds[version] = {
            one["addonName"]: {build["addonVersion"]: build for build in one["addonVersions"]}
            for one in caller.pages(
                "eks", "describe_addon_versions", "addons", kubernetesVersion=version, owners=["aws"]
            )
        }
    return [_addon(caller, question, builds[question.details["kubernetes"]]) for question in questions]


def _addon(caller: Caller, question: Question, offered: Mapping[str, Mapping[str, Mapping[str, Any]]]) -> Answer:
    name, version = question.subject, question.details["kubernetes"]
    found = offered.get(name, {})
    default = next(
        (
            build
            for build, one in found.items()
            if any(fit.get("defaultVersion") for fit in one.get("compatibilities", []))
        ),
        None,
    )
    text = f"EKS' default is {default}" if default else "EKS names no default"
    if not found:
        return refused(question, f"EKS does not offer it for Kubernetes {version}", "write another versions.kubernetes")
    if question.needed is None or question.needed in found:
        return fine(question, f"offered; {text}" if question.needed else text)
    show = (
        f"aws eks describe-addon-versions --region {caller.region} --kubernetes-version {version} --addon-name {name}"
    )
    fix = f"write versions.addons: {{{name}: {default or 'default'}}}"
    return refused(question, f"not offered, but {', '.join([*found][:_SHOWN])}; {text}", fix, show)


def ask_images(caller: Caller, questions: Sequence[Question]) -> list[Answer]:
    """Pinned releases and the newest ones, by one request: SSM takes 10 names, and a plan has two pools."""
    asked = sorted({name for one in questions for name in (_newest(one), _pinned(one)) if name})
    found = {one["Name"]: one["Value"] for one in caller.client("ssm").get_parameters(Names=asked)["Parameters"]}
    return [_image(caller, question, found) for question in questions]


def _image(caller: Caller, question: Question, found: Mapping[str, str]) -> Answer:
    newest, pinned = _newest(question), _pinned(question)
    show = f"aws ssm get-parameter --region {caller.region} --name {newest}"
    if newest not in found:
        version = _version(question)
        return refused(question, f"EKS has no image for Kubernetes {version}", "write another version", show)
    text = f"{found[newest]} is the newest"
    if pinned and pinned not in found:
        return refused(question, f"not offered; {text}", f"write {found[newest]}", show)
    return fine(question, f"{found[pinned]}; {text}" if pinned else text)


def _version(question: Question) -> str:
    return ".".join(map(str, minor(question.subject)))


def _newest(question: Question) -> str:
    return _NEWEST.format(version=_version(question), kind=question.details["kind"])


def _pinned(question: Question) -> str:
    """Empty for a version without the day of a release."""
    _, _, day = question.subject.partition("-")
    return _PINNED.format(version=_version(question), kind=question.details["kind"], day=day) if day else ""
