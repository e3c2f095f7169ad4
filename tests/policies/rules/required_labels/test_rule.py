"""required-labels: one mutation of the compliant program per case."""

from __future__ import annotations

import dataclasses
import json

import pytest

from gpucluster.policies.rule import Violation
from gpucluster.policies.rules.required_labels import RULE


def test_a_program_with_labels_everywhere_passes(program, found, unknown):
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


@pytest.mark.parametrize("name", ["gpu-subnet", "efa", "efa-ingress", "group", "template", "train"])
def test_tags_of_every_resource_are_looked_at(program, found, name):
    del program[name]["tags"]
    assert found(RULE, program) == [(name, "tags: `team`, `owner` missing")]


def test_an_empty_value_is_a_missing_one(program, found):
    program["group"]["tags"]["owner"] = ""
    assert found(RULE, program) == [("group", "tags: `owner` missing")]


def test_another_value_is_refused_without_quoting_it(program, found):
    program["group"]["tags"]["team"] = "sales"
    assert found(RULE, program) == [("group", "tags: `team` not the required value")]


@pytest.mark.parametrize(("kind", "words"), [("instance", "instances"), ("volume", "disks")])
def test_what_a_launch_template_starts_is_labelled(program, found, kind, words):
    program["template"]["tagSpecifications"] = [
        entry for entry in program["template"]["tagSpecifications"] if entry["resourceType"] != kind
    ]
    assert found(RULE, program) == [("template", f"tags of the {words} it starts: `team`, `owner` missing")]


def test_nodes_are_labelled(program, found):
    del program["train"]["labels"]["team"]
    assert found(RULE, program) == [("train", "labels of the nodes it starts: `team` missing")]


def test_everything_wrong_with_a_resource_is_told_at_once(program, found):
    program["train"].update(labels={}, tags={"team": "sales", "owner": "ada"})
    assert found(RULE, program) == [
        ("train", "tags: `team` not the required value; labels of the nodes it starts: `team`, `owner` missing")
    ]


def test_tags_an_auto_scaling_group_lists_count(program, found):
    listed = [{"key": key, "value": value, "propagateAtLaunch": True} for key, value in program.labels.items()]
    program.add("aws:autoscaling/group:Group", "asg", {"tags": listed})
    assert found(RULE, program) == []
    listed.pop()
    assert found(RULE, program) == [("asg", "tags: `owner` missing")]


def test_default_tags_of_the_provider_count(program, found):
    del program["group"]["tags"]
    program.provider_inputs["defaultTags"] = {"tags": dict(program.labels)}
    assert found(RULE, program) == []


def test_types_without_tags_owe_none(program, found):
    program.add("aws:ec2/route:Route", "route", {})
    program.add("random:index/randomId:RandomId", "id", {})
    assert found(RULE, program) == []


@pytest.mark.parametrize(
    ("type_", "properties", "what"),
    [
        ("kubernetes:core/v1:Namespace", {"metadata": {}}, "labels: `team`, `owner` missing"),
        (
            "kubernetes:karpenter.sh/v1:NodePool",
            {"metadata": {"labels": {"team": "research", "owner": "ada"}}},
            "labels of the nodes it starts: `team`, `owner` missing",
        ),
        (
            "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
            {"metadata": {"labels": {"team": "research", "owner": "ada"}}, "spec": {"tags": {"team": "research"}}},
            "tags of the instances and disks it starts: `owner` missing",
        ),
    ],
)
def test_kubernetes_objects_are_labelled(program, found, type_, properties, what):
    program.add(type_, "object", properties)
    assert found(RULE, program) == [("object", what)]


@pytest.mark.parametrize(
    "type_",
    ["kubernetes:helm.sh/v3:Release", "kubernetes:core/v1:ConfigMapList", "kubernetes:core/v1:NodePatch"],
)
def test_what_is_no_object_owes_no_labels(program, found, type_):
    program.add(type_, "object", {})
    assert found(RULE, program) == []


def test_kubernetes_may_write_a_value_it_does_not_take_in_another_way(program, found):
    program["trial"]["requiredLabels"] = {"team": "AI Research"}
    for name in ("gpu-subnet", "efa", "efa-ingress", "efa-egress", "group", "template", "train"):
        program[name]["tags"] = {"team": "AI Research"}
    for entry in program["template"]["tagSpecifications"]:
        entry["tags"] = {"team": "AI Research"}
    program["train"]["labels"] = {"team": "ai-research"}
    assert found(RULE, program) == []


def test_without_required_labels_nothing_is_owed(program, found):
    del program["trial"]["requiredLabels"]
    del program["group"]["tags"]
    assert found(RULE, program) == []


def test_labels_not_known_yet_are_said(program, found, unknown):
    program["group"]["tags"] = program.unknown
    assert found(RULE, program) == []
    assert unknown(RULE, program) == [("group", "tags not known yet")]


def test_a_value_not_known_yet_is_there(program, found, unknown):
    program["group"]["tags"]["owner"] = program.unknown
    assert (found(RULE, program), unknown(RULE, program)) == ([], [])


def test_required_labels_not_known_yet_are_said(program, found, unknown):
    program["trial"]["requiredLabels"] = program.unknown
    assert found(RULE, program) == []
    assert ("group", "the required labels are not known yet") in unknown(RULE, program)


def test_configured_labels_take_the_place_of_registered_ones(program, found):
    assert found(RULE, program, {"labels": {"team": "research"}, "keys": ["owner"]}) == []
    assert ("group", "tags: `cost-center` missing") in found(RULE, program, {"keys": ["cost-center"]})
    assert ("group", "tags: `team` not the required value") in found(RULE, program, {"labels": {"team": "sales"}})


def test_network_interfaces_are_looked_at_when_the_template_tags_them(program, found):
    program["template"]["tagSpecifications"].append({"resourceType": "network-interface", "tags": {"team": "research"}})
    assert found(RULE, program) == [("template", "tags of the network interfaces it creates: `owner` missing")]


def test_labels_of_google_cloud_resources_are_looked_at(mega, found):
    mega["cluster"]["resourceLabels"] = {"team": "research"}
    assert found(RULE, mega) == [("cluster", "labels: `owner` missing")]


def _tag_of_the_group(program, key: str, value: str, *, propagate: bool = True) -> None:
    program.add(
        "aws:autoscaling/tag:Tag",
        f"tag-{key}",
        {"autoscalingGroupName": program.unknown, "tag": {"key": key, "value": value, "propagateAtLaunch": propagate}},
        autoscalingGroupName=["train"],
    )


def test_tags_of_a_node_groups_auto_scaling_group_count_for_machines_whose_template_keeps_its_own(program, found):
    program["template"]["tags"]["owner"] = "former"
    for entry in program["template"]["tagSpecifications"]:
        entry["tags"] = {"team": "research"}
    _tag_of_the_group(program, "owner", "ada")
    assert found(RULE, program) == []


@pytest.mark.parametrize(("key", "value", "propagate"), [("owner", "eve", True), ("owner", "ada", False)])
def test_a_tag_of_the_group_that_is_wrong_or_stays_with_the_group_is_no_label(program, found, key, value, propagate):
    for entry in program["template"]["tagSpecifications"]:
        entry["tags"] = {"team": "research"}
    _tag_of_the_group(program, key, value, propagate=propagate)
    assert [name for name, _ in found(RULE, program)] == ["template"]


def test_labels_that_stay_as_they_were_made_need_not_be_those_of_today(mega, found):
    mega["train"]["nodeConfig"]["resourceLabels"] = {"team": "former"}
    assert found(RULE, mega) == [
        (
            "train",
            "resourceLabels of the machines it starts: `owner` missing; resourceLabels of the machines it starts: "
            "`team` not the required value",
        )
    ]
    mega.keep("train", "nodeConfig.resourceLabels")  # what is missing there, the cluster annotates
    assert found(RULE, mega) == []
    del mega["cluster"]["resourceLabels"]["owner"]
    assert [name for name, _ in found(RULE, mega)] == ["cluster", "train"]


@pytest.mark.parametrize("where", ["resourceLabels", "labels"])
def test_machines_and_nodes_of_gke_are_labelled(mega, found, where):
    of = "resourceLabels of the machines" if where == "resourceLabels" else "labels of the nodes"
    mega["train"]["nodeConfig"][where] = {"team": "research"}
    assert found(RULE, mega) == [("train", f"{of} it starts: `owner` missing")]


def test_node_pools_inside_a_cluster_are_labelled(mega, found):
    pool = {"name": "inside", "nodeCount": 1.0, "nodeConfig": {"labels": dict(mega.labels)}}
    mega["cluster"]["nodePools"] = [pool]
    assert found(RULE, mega) == [
        ("cluster", "resourceLabels of the machines it starts in `cluster/inside`: `team`, `owner` missing")
    ]


@pytest.mark.parametrize(
    ("type_", "argument"),
    [
        ("gcp:lustre/instance:Instance", "labels"),
        ("gcp:storage/bucket:Bucket", "labels"),
        ("gcp:compute/globalAddress:GlobalAddress", "labels"),
        ("gcp:monitoring/alertPolicy:AlertPolicy", "userLabels"),
    ],
)
def test_each_type_has_its_labels_under_its_own_argument(mega, found, type_, argument):
    mega.add(type_, "resource", {argument: dict(mega.labels)})
    assert found(RULE, mega) == []
    mega["resource"][argument].pop("owner")
    assert found(RULE, mega) == [("resource", "labels: `owner` missing")]


@pytest.mark.parametrize(
    "type_",
    [
        "gcp:compute/router:Router",
        "gcp:compute/routerNat:RouterNat",
        "gcp:compute/resourcePolicy:ResourcePolicy",
        "gcp:compute/reservation:Reservation",
        "gcp:serviceaccount/account:Account",
        "gcp:projects/iAMMember:IAMMember",
        "gcp:cloudidentity/group:Group",
    ],
)
def test_types_of_google_cloud_without_labels_owe_none(mega, found, type_):
    mega.add(type_, "resource", {})
    assert found(RULE, mega) == []


@pytest.mark.parametrize("written", [lambda labels: labels, lambda labels: json.dumps(labels)])
def test_default_labels_of_the_provider_count(mega, found, written):
    del mega["cluster"]["resourceLabels"]
    mega.provider_inputs["defaultLabels"] = written(mega.labels)
    assert found(RULE, mega) == []


def test_default_tags_of_the_provider_count_as_the_sdk_writes_them(program, found):
    del program["group"]["tags"]
    program.provider_inputs["defaultTags"] = json.dumps({"tags": program.labels})
    assert found(RULE, program) == []


def test_labels_that_google_cloud_returns_count(mega, found):
    mega["cluster"].update(resourceLabels={}, pulumiLabels=dict(mega.labels))
    assert found(RULE, mega) == []


def test_google_cloud_may_write_a_value_it_does_not_take_in_another_way(mega, found):
    mega["trial"]["requiredLabels"] = {"team": "AI Research"}
    mega["cluster"]["resourceLabels"] = {"team": "ai-research"}
    assert "cluster" not in [name for name, _ in found(RULE, mega)]
    mega["cluster"]["resourceLabels"] = {}
    assert ("cluster", "labels: `team` missing") in found(RULE, mega)


def test_labels_of_google_cloud_not_known_yet_are_said(mega, found, unknown):
    mega["cluster"]["resourceLabels"] = mega.unknown
    assert (found(RULE, mega), unknown(RULE, mega)) == ([], [("cluster", "labels not known yet")])


@pytest.mark.parametrize("name", ["vnet", "cluster", "train"])
def test_tags_of_azure_resources_are_looked_at(nd, found, name):
    nd[name]["tags"] = {"team": "research"}
    assert found(RULE, nd) == [(name, "tags: `owner` missing")]


def test_nodes_of_aks_are_labelled(nd, found):
    nd["train"]["nodeLabels"] = {"team": "research"}
    assert found(RULE, nd) == [("train", "labels of the nodes it starts: `owner` missing")]


def test_pools_inside_an_aks_cluster_are_labelled(nd, found):
    del nd["cluster"]["agentPoolProfiles"][0]["tags"], nd["cluster"]["agentPoolProfiles"][0]["nodeLabels"]["owner"]
    assert found(RULE, nd) == [
        (
            "cluster",
            "tags of the machines it starts in `cluster/system`: `team`, `owner` missing; labels of the nodes it "
            "starts in `cluster/system`: `owner` missing",
        )
    ]


@pytest.mark.parametrize("type_", ["storagecache:AmlFilesystem", "resources:ResourceGroup", "dashboard:Grafana"])
def test_types_of_azure_with_tags_owe_them(nd, found, type_):
    nd.add(f"azure-native:{type_}", "more", {"location": "eastus"})
    assert found(RULE, nd) == [("more", "tags: `team`, `owner` missing")]


@pytest.mark.parametrize(
    "type_", ["network:Subnet", "authorization:RoleAssignment", "containerservice:MaintenanceConfiguration"]
)
def test_types_of_azure_without_tags_owe_none(nd, found, type_):
    nd.add(f"azure-native:{type_}", "more", {"resourceGroupName": "trial-group"})
    assert found(RULE, nd) == []


def test_machines_that_karpenter_starts_on_azure_are_tagged(nd, found):
    labelled = {"name": "gpu", "labels": dict(nd.labels)}
    nd.add("kubernetes:karpenter.azure.com/v1beta1:AKSNodeClass", "class", {"metadata": labelled, "spec": {}})
    assert found(RULE, nd) == [("class", "tags of the machines it starts: `team`, `owner` missing")]


def test_tags_of_azure_not_known_yet_are_said(nd, found, unknown):
    nd["cluster"]["tags"] = nd.unknown
    assert found(RULE, nd) == []
    assert unknown(RULE, nd) == [("cluster", "tags not known yet")]


def _edits(program, config=None):
    """(resource, path, what to write there) of every edit."""
    stack = dataclasses.replace(program.stack(), config=config or {})
    violations = [finding for finding in RULE.check(stack) if isinstance(finding, Violation)]
    return [(found.resource.name, edit.path, edit.value) for found in violations for edit in found.edits]


def test_a_program_with_its_labels_has_nothing_to_write(program, mega, nd):
    assert [_edits(one) for one in (program, mega, nd)] == [[], [], []]


def test_what_to_write_is_every_wrong_label_where_its_type_has_it(program):
    program["group"]["tags"] = {"team": "sales", "Name": "group"}
    program["train"]["labels"] = {"owner": "ada"}
    program["template"]["tagSpecifications"] = [{"resourceType": "volume", "tags": {"team": "research"}}]
    program.add("aws:autoscaling/group:Group", "asg", {"tags": [{"key": "team", "value": "research"}]})
    labels = {"metadata": {"labels": program.labels}}
    program.add("kubernetes:karpenter.sh/v1:NodePool", "pool", labels)
    program.add("kubernetes:karpenter.k8s.aws/v1:EC2NodeClass", "class", labels)
    program.add("kubernetes:core/v1:Namespace", "jobs", {})
    assert _edits(program) == [
        ("group", "tags", program.labels),
        ("template", "tagSpecifications", [{"resourceType": "instance", "tags": program.labels}]),
        ("template", "tagSpecifications[0].tags", {"owner": "ada"}),
        ("train", "labels", {"team": "research"}),
        ("asg", "tags", [{"key": "owner", "value": "ada", "propagateAtLaunch": True}]),
        ("pool", "spec.template.metadata.labels", program.labels),
        ("class", "spec.tags", program.labels),
        ("jobs", "metadata.labels", program.labels),
    ]


def test_what_to_write_on_google_cloud(mega):
    pool = {"name": "inside", "nodeConfig": {"labels": dict(mega.labels)}}
    mega["cluster"].update(nodePools=[{"nodeConfig": dict.fromkeys(("labels", "resourceLabels"), mega.labels)}, pool])
    del mega["cluster"]["resourceLabels"]
    del mega["train"]["nodeConfig"]["labels"]
    mega.add("gcp:monitoring/alertPolicy:AlertPolicy", "alert", {})
    mega.add("kubernetes:karpenter.k8s.gcp/v1:GCENodeClass", "class", {"metadata": {"labels": mega.labels}})
    assert _edits(mega) == [
        ("cluster", "resourceLabels", mega.labels),
        ("cluster", "nodePools[1].nodeConfig.resourceLabels", mega.labels),
        ("train", "nodeConfig.labels", mega.labels),
        ("alert", "userLabels", mega.labels),
        ("class", "spec.labels", mega.labels),
    ]


def test_what_to_write_on_azure(nd):
    del nd["cluster"]["agentPoolProfiles"][0]["tags"]
    del nd["train"]["nodeLabels"]
    nd["vnet"]["tags"] = {}
    assert _edits(nd) == [
        ("vnet", "tags", nd.labels),
        ("cluster", "agentPoolProfiles[0].tags", nd.labels),
        ("train", "nodeLabels", nd.labels),
    ]


def test_a_value_that_is_not_known_or_not_taken_there_is_left_to_the_reader(program):
    program["trial"]["requiredLabels"] = {"team": "AI Research", "owner": program.unknown, "cost-center": 7.0}
    for name in list(program.declared):
        if name != "trial" and "tags" in program[name] and name != "group":
            program.remove(name)
    program.add("kubernetes:core/v1:Namespace", "jobs", {})
    del program["group"]["tags"]
    assert _edits(program) == [
        ("group", "tags", {"team": "AI Research", "owner": "", "cost-center": "7"}),
        ("jobs", "metadata.labels", {"team": "", "owner": "", "cost-center": "7"}),
    ]
    assert ("group", "tags", {"gpu": ""}) in _edits(program, {"keys": ["gpu"]})
