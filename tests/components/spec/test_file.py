"""Reading a spec: every mistake at once, in the user's words."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from gpucluster.components.spec import file
from gpucluster.components.spec.file import SET_VARIABLE, _short, overrides, read_spec, stack_spec
from gpucluster.errors import InputError

ROOT = Path(__file__).parents[3]
TRIAL = (ROOT / "stacks/specs/trial.yaml").read_text()


def problems(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "bad.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        stack_spec(path).read()
    return list(caught.value.problems)


def test_the_trial_spec_is_read() -> None:
    spec = stack_spec(ROOT / "stacks/specs/trial.yaml").read()
    assert (spec.name, spec.training.nodes, spec.training.spares, spec.duration) == ("trial", 4, 1, 336)


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = """\
name: Trial_1
acelerator: h100
accelerator: h300
training:
  nodes: 0
  spaers: 2
  nodes: four
purchase:
  kind: ondemand
placement:
  id: cr-1
storage:
  shared: {usable_tib: lots, gb_per_s: 1}
labels: {team: Research Team, project: 7}
budget: {monthly_usd: -5, on_exceed: explode}
duration: 14
access: {kind: public, cidrs: [0.0.0.0/0]}
"""
    assert problems(tmp_path, text) == [
        "line 1: name is 'Trial_1'; write 1 to 20 lower-case letters, digits and hyphens, starting with a letter",
        "line 2: acelerator is not a field; did you mean accelerator?",
        "line 3: accelerator is 'h300'; allowed: h100, h200, b200, b300, a100-80gb, a100-40gb; did you mean h200?",
        "line 6: training.spaers is not a field; did you mean spares?",
        "line 7: training.nodes is 'four'; write a whole number from 1 to 4,096",
        "line 7: training.nodes is given twice; keep one",
        "line 9: purchase.kind is 'ondemand'; allowed: on-demand, spot, capacity-block, flex-start; did you mean "
        "on-demand?",
        "line 10: placement has no kind; add kind: group or reservation or blocks or none",
        "line 13: storage.shared.usable_tib is 'lots'; write a number above 0 and at most 100,000, in digits alone",
        'line 14: labels.project is 7, which YAML reads as a number; put it in quotes: "7"',
        "line 14: labels.team is 'Research Team'; write 1 to 63 lower-case letters, digits, - and _, starting and "
        "ending with a letter or digit",
        "line 14: labels: lacks cost-center, environment, owner; "
        "required: team, project, cost-center, environment, owner",
        "line 15: budget.monthly_usd is -5; write a number above 0 and at most 1,000,000,000 with at most 2 decimals, "
        "in digits alone",
        "line 15: budget.on_exceed is 'explode'; allowed: fail, warn",
        "line 16: duration is 14: it has no unit; write hours, days or weeks, such as 36h, 14d or 2w",
        "line 17: access.cidrs[0] is '0.0.0.0/0': it opens the cluster's API to everyone; write the ranges of your "
        "office or VPN, none wider than /8",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["is empty; a spec is a mapping that starts with name: and training:"]),
        ("[1]", ["is not a mapping; a spec is a mapping that starts with name: and training:"]),
        ("a: [1", ["line 1: the bracket is not closed; add ]"]),
        ("a: !!python/object:os.system x", ["line 1: the tag python/object:os.system means nothing here; remove it"]),
    ],
)
def test_what_is_no_mapping_is_said_in_one_line(tmp_path: Path, text: str, expected: list[str]) -> None:
    found = problems(tmp_path, text)
    assert [line[: len(want)] for line, want in zip(found, expected, strict=True)] == expected


def test_a_file_that_is_not_there_names_its_nearest_neighbour(tmp_path: Path) -> None:
    (tmp_path / "trial.yaml").write_text(TRIAL)
    with pytest.raises(InputError, match=r"no such file; did you mean trial\.yaml\?"):
        stack_spec(tmp_path / "trail.yaml").read()


def test_rules_between_fields_are_reported_together(tmp_path: Path) -> None:
    text = TRIAL.replace("kind: group", "kind: none").replace("kind: on-demand", "kind: spot")
    assert problems(tmp_path, text) == [
        "line 12: purchase.kind is 'spot': one reclaimed node stops a co-located job on all nodes; choose on-demand "
        "or capacity-block, and use spot in a pool under elastic.pools",
        "line 15: placement.kind is 'none', for a single node only, but training has 5 nodes with its spares; choose "
        "group, or reservation with its id",
    ]


def test_rules_between_valid_parts_are_reported_with_the_wrong_fields(tmp_path: Path) -> None:
    text = changed(("kind: on-demand", "kind: spot"), ("nodes: 4", "nodes: 0"), ("fail", "fial"))
    lines = [problem.partition(";")[0].partition(": ")[2] for problem in problems(tmp_path, text)]
    assert lines == [
        "training.nodes is 0",
        "purchase.kind is 'spot': one reclaimed node stops a co-located job on all nodes",
        "budget.on_exceed is 'fial'",
    ]


def test_a_capacity_block_needs_its_id(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, TRIAL.replace("kind: on-demand", "kind: capacity-block"))
    assert found.startswith("line 12: purchase.kind is 'capacity-block', which needs placement.kind reservation with")


def test_several_blocks_hold_the_nodes_of_the_pool_together_and_are_bought_as_blocks(tmp_path: Path) -> None:
    assert problems(tmp_path, TRIAL.replace("kind: group", "kind: blocks\n  blocks: {cr-1: 4, cr-2: 2}")) == [
        "line 15: placement.kind is 'blocks'; set purchase.kind capacity-block, or choose reservation",
        "line 16: placement.blocks have 6 nodes, but training.nodes and training.spares make 5; change one of them",
    ]


def test_a_capacity_block_takes_no_group(tmp_path: Path) -> None:
    text = TRIAL.replace("kind: on-demand", "kind: capacity-block").replace(
        "kind: group", "kind: reservation\n  id: cr-1\n  group: mine"
    )
    (found,) = problems(tmp_path, text)
    assert found.startswith(
        "line 17: placement.group is set, but purchase.kind is 'capacity-block': a block has its own placement"
    )


def test_a_missing_section_is_named(tmp_path: Path) -> None:
    text = TRIAL[: TRIAL.index("budget:")] + TRIAL[TRIAL.index("duration:") :]
    assert problems(tmp_path, text) == ["budget is missing; add it: a mapping with monthly_usd, on_exceed"]


PRIVATE = "kind is 'private', but `pulumi up` must reach the API to install software in the cluster; add via: "


@pytest.mark.parametrize(
    ("access", "expected"),
    [
        (
            "{kind: private}",
            [
                f"{PRIVATE}vpn with the cidrs at its other end, via: bastion, via: inside to run up on a machine in "
                "the network, or on Google Cloud via: dns, or choose kind: public with your ranges under cidrs"
            ],
        ),
        ("{kind: private, via: vpn}", ["via is 'vpn', which needs cidrs: the IPv4 ranges at its other end; add them"]),
        (
            "{kind: private, via: bastion, cidrs: [10.9.0.0/16], egress: none}",
            [
                "cidrs need via: vpn, but via is bastion; remove them or change via",
                "egress is 'none', so nodes can't reach the public registries; add registry: a mirror of the images "
                "inside the network (docs/run/access.md lists them), or choose egress: nat",
            ],
        ),
    ],
)
def test_a_private_api_that_up_could_not_use_is_refused(tmp_path: Path, access: str, expected: list[str]) -> None:
    text = f"{TRIAL[: TRIAL.index('access:')]}access: {access}\n"
    line = text.count("\n")
    assert problems(tmp_path, text) == sorted(f"line {line}: access: {problem}" for problem in expected)


def test_admins_are_named_once_and_the_private_api_is_open_to_nobody_else(tmp_path: Path) -> None:
    access = "{kind: private, via: vpn, cidrs: [0.0.0.0/0], admins: [a, b, a]}"
    text = f"{TRIAL[: TRIAL.index('access:')]}access: {access}\n"
    line = text.count("\n")
    assert problems(tmp_path, text) == [
        f"line {line}: access.admins: names a twice; keep one",
        f"line {line}: access.cidrs[0] is '0.0.0.0/0': it opens the cluster's API to everyone; write the ranges of "
        "your office or VPN, none wider than /8",
    ]


def test_the_labels_that_the_toolkit_writes_itself_are_not_the_users(tmp_path: Path) -> None:
    text = TRIAL.replace("  team: research", "  team: research\n  managed-by: me")
    (found,) = problems(tmp_path, text)
    assert "must not contain managed-by, which every resource gets automatically; remove it" in found


def changed(*changes: tuple[str, str]) -> str:
    text = TRIAL
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def test_values_with_two_readings_are_reported_once_and_with_all_else(tmp_path: Path) -> None:
    text = changed(("nodes: 4", "nodes: 1:30"), ("spares: 1", "spares: yes"), ("kind: on-demand", "kind: ondemand"))
    assert [problem.partition(": ")[2] for problem in problems(tmp_path, text)] == [
        'training.nodes is 1:30, which YAML 1.1 reads as 90 and YAML 1.2 as text; write 90, or "1:30" for the text',
        "training.spares is yes; write a whole number from 0 to 512",
        "purchase.kind is 'ondemand'; allowed: on-demand, spot, capacity-block, flex-start; did you mean on-demand?",
    ]


def test_the_field_says_what_it_takes_where_yaml_has_two_readings(tmp_path: Path) -> None:
    text = changed(("owner: ", "owner: yes # "), ("usable_tib: ", "usable_tib: 1e400 # "))
    assert sorted(problem.partition(": ")[2] for problem in problems(tmp_path, text)) == [
        'labels.owner is yes, which YAML reads as true; put it in quotes: "yes"',
        "storage.shared.usable_tib is '1e400'; write a number above 0 and at most 100,000, in digits alone",
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (("  kind: public", "  kind: private\n  via: 9"), "access.via is 9; allowed: vpn, bastion, inside"),
        (("  shared:", "  shared:\n    tier: 7"), "storage.shared.tier is 7; allowed: 125, 250, 500, 1000"),
        (("labels:", "labels:\n  ~: x"), "labels: must not contain null, which not every cloud allows; write 1 to 63"),
        (("labels:", "labels:\n  2026-01-01: ~"), "labels.2026-01-01 is empty; write 1 to 63"),
        (("name: trial", "name: trial\n2026-01-01: ~"), "2026-01-01 is not a field; allowed: accelerator, access"),
        (("training:", "training:\n  7: 1"), "training.7 is not a field; allowed: "),
        (("labels:", "promises: {bus_gb_per_s: {2026-01-01: 3}}\nlabels:"),
         "promises.bus_gb_per_s: has 2026-01-01 as a number of nodes; write 2 or more"),
    ],
)  # fmt: skip
def test_a_message_shows_values_as_they_are_in_the_file(tmp_path: Path, change: tuple[str, str], expected: str) -> None:
    found = problems(tmp_path, changed(change))
    assert [problem for problem in found if problem.partition(": ")[2].startswith(expected)] != [], found


def test_terms_are_read_by_cloud_and_a_discount_also_as_a_percentage(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text(f"{TRIAL}\nterms: {{aws: {{support: business, discount: 7.5%}}, gcp: {{discount: 0.05}}}}\n")
    terms = stack_spec(path).read().terms
    assert {cloud: (agreed.support, agreed.discount) for cloud, agreed in terms.items()} == {
        "aws": ("business", Decimal("0.075")),
        "gcp": ("", Decimal("0.05")),
    }


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ("{moon: {support: x}}", "terms.moon is a mapping; allowed: aws, gcp, azure"),
        (
            "{aws: {discount: 120%}}",
            "terms.aws.discount is '120%'; write a number of at least 0 below 1, in digits alone",
        ),
        ("{aws: {plan: y}}", "terms.aws.plan is not a field; allowed: account_usd, discount, support"),
        ("[aws]", "terms is a list; write a mapping from names to mappings with support, discount, account_usd"),
    ],
)
def test_terms_that_cannot_be_are_named(tmp_path: Path, terms: str, said: str) -> None:
    assert [problem.partition(": ")[2] for problem in problems(tmp_path, f"{TRIAL}\nterms: {terms}\n")] == [said]


def test_an_empty_list_is_called_one(tmp_path: Path) -> None:
    ranges = "cidrs:\n    - 203.0.113.0/24"
    assert ranges in TRIAL
    [problem] = problems(tmp_path, TRIAL.replace(ranges, "cidrs: []"))
    assert ("access.cidrs" in problem, "an empty list" in problem) == (True, True)


SPEC = Path(__file__).parents[3] / "stacks" / "specs" / "trial.yaml"


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Sets the variable by `asked.setenv`."""
    monkeypatch.delenv(SET_VARIABLE, raising=False)
    return monkeypatch


def _ask(asked: pytest.MonkeyPatch, **values: str) -> None:
    asked.setenv(SET_VARIABLE, json.dumps({name.replace("__", "."): text for name, text in values.items()}))


@pytest.mark.usefixtures("asked")
def test_without_the_variable_a_spec_is_what_it_says() -> None:
    assert (overrides(), stack_spec(SPEC).what_if(), read_spec(SPEC).training.nodes) == ({}, [], 4)


def test_values_stand_for_those_of_the_spec(asked: pytest.MonkeyPatch) -> None:
    plain = read_spec(SPEC)
    _ask(
        asked,
        nodes="8",
        elastic__pools__dev__max_gpus="16",
        labels__team="red",
        duration="30d",
        placement__kind="reservation",
        placement__id="cr-0123456789abcdef0",
    )
    spec = read_spec(SPEC)
    assert (spec.training.nodes, spec.labels["team"], spec.placement.kind) == (8, "red", "reservation")
    assert spec.elastic is not None and plain.elastic is not None
    assert spec.elastic.pools["dev"] == plain.elastic.pools["dev"].model_copy(update={"max_gpus": 16})
    assert spec.duration != plain.duration
    assert stack_spec(SPEC).what_if()[:2] == [
        "training.nodes is 8, 4 in the spec",
        "elastic.pools.dev.max_gpus is 16, 8 in the spec",
    ]


def test_what_the_spec_leaves_out_can_be_set(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, storage__home__expected_gib="500")
    home = read_spec(SPEC).storage.home
    assert home is not None and home.expected_gib == 500
    assert stack_spec(SPEC).what_if() == ["storage.home.expected_gib is 500, not set in the spec"]


def test_a_value_that_cannot_be_is_refused_as_in_the_spec(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, nodes="0")
    with pytest.raises(InputError, match=r"training\.nodes is 0; write a whole number from 1 to 4,096"):
        read_spec(SPEC)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"nods": "8"}', "nods is not a field of a spec; allowed: name, accelerator, training.nodes"),
        ('{"nods": "8"}', "did you mean nodes?"),
        ('{"kind": "none"}', "kind is ambiguous: purchase.kind or placement.kind or"),
        ('{"nodes": "["}', "nodes=[ is not a value; write it as in the spec"),
        ("nodes=8", 'is not a JSON object with string values; write one such as {"training.nodes": "8"}'),
        ('{"nodes": 8}', "is not a JSON object with string values"),
    ],
)
def test_what_cannot_be_set_is_named(asked: pytest.MonkeyPatch, text: str, problem: str) -> None:
    asked.setenv(SET_VARIABLE, text)
    with pytest.raises(InputError) as refused:
        read_spec(SPEC)
    assert problem in str(refused.value)


def test_what_may_hold_a_token_is_not_asked_otherwise_where_all_can_read_it(asked: pytest.MonkeyPatch) -> None:
    _ask(asked, telemetry__alerts__webhook="https://alerts.example.com/s3cret")
    with pytest.raises(InputError, match=r"telemetry\.alerts\.webhook is not a field of a spec; allowed: "):
        read_spec(SPEC)


def test_the_last_part_of_a_field_is_suggested() -> None:
    fields = ["training.nodes", "storage.shared.usable_tib"]
    assert _short(fields) == [*fields, "nodes", "usable_tib"]


def test_a_path_is_shown_from_the_users_folder_else_from_the_current_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file, "_shown_from", [None])
    (tmp_path / "stacks").mkdir()
    monkeypatch.chdir(tmp_path / "stacks")
    spec = tmp_path / "stacks/trial.yaml"
    assert file.shown_path(spec) == "trial.yaml"
    file.show_from(tmp_path)
    assert file.shown_path(spec) == "stacks/trial.yaml"
    file.show_from(tmp_path / "elsewhere")
    assert (file.shown_path(spec), file.shown_path(Path("/a.yaml"))) == ("trial.yaml", "/a.yaml")
