"""Which providers come into a state with the resources that it adopts."""

from __future__ import annotations

from gpucluster.sandbox.clouds.store.ledger import Entry
from gpucluster.sandbox.state.compare import Difference
from gpucluster.sandbox.state.repair import plan_repair, repaired
from gpucluster.sandbox.state.state import StackState

PREFIX = "urn:pulumi:dev::small::"
AWS, GCP = (f"{PREFIX}pulumi:providers:{package}::default" for package in ("aws", "gcp"))


def _entry(name: str, provider: str) -> Entry:
    return Entry(
        provider=provider.rsplit("::", 2)[0].rsplit(":", 1)[1],
        scope="s",
        type="aws:ec2/vpc:Vpc",
        id=name,
        name=name,
        urn=f"{PREFIX}aws:ec2/vpc:Vpc::{name}",
        inputs={},
        outputs={},
        provider_ref=provider,
    )


def test_of_each_provider_the_newest_comes_with_what_it_made() -> None:
    settings = {f"{AWS}::old": {"region": "a"}, f"{AWS}::new": {"region": "b"}, f"{GCP}::one": {"project": "p"}}
    orphans = [_entry("first", f"{AWS}::old"), _entry("second", f"{AWS}::new"), _entry("third", f"{GCP}::one")]
    found = plan_repair(Difference("dev", orphans=orphans), StackState("dev", (), (), 0.0), settings)
    assert [entry.id for entry in found.adopt] == ["first", "second", "third"]
    assert found.providers == {f"{AWS}::new": {"region": "b"}, f"{GCP}::one": {"project": "p"}}


def test_what_no_known_provider_could_manage_is_left_and_a_second_of_one_urn_is_deleted() -> None:
    old, new, foreign = _entry("one", f"{AWS}::x"), _entry("one", f"{AWS}::x"), _entry("two", f"{GCP}::gone")
    state = StackState("dev", (), (), 0.0)
    found = plan_repair(Difference("dev", orphans=[old, new, foreign]), state, {f"{AWS}::x": {}})
    assert (found.adopt, found.delete, found.leave) == ((new,), (old,), (foreign,))


def test_what_a_replaced_provider_made_is_managed_by_the_one_in_its_place() -> None:
    provider = {"urn": AWS, "id": "new", "type": "pulumi:providers:aws", "custom": True}
    orphan, deployment = _entry("one", f"{AWS}::old"), {"resources": [provider]}
    difference = Difference("dev", orphans=[orphan])
    repair = plan_repair(difference, StackState("dev", (provider,)), {})
    assert (repair.adopt, repair.leave, repair.providers) == ((orphan,), (), {})
    [_, adopted] = repaired(deployment, difference, repair)["resources"]
    assert (adopted["id"], adopted["provider"]) == ("one", f"{AWS}::new")
