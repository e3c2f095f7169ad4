from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpucluster.sandbox.live import node_events
from gpucluster.sandbox.live.commands.node import state_of
from tests.live.accepted import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.conftest import brought_up
from tests.live.elastic import *  # noqa: F403 - the same
from tests.live.everywhere import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.harness import Live, trainjob
from tests.live.rehearsed import *  # noqa: F403 - the same

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The trial stack on this cloud."""
    yield from brought_up(tmp_path_factory.mktemp("azure"), "azure")


def test_a_scheduled_event_of_a_host_moves_its_job(live: Live) -> None:
    """A job runs on two nodes. AKS sees that one will be redeployed and drains it: the job runs again elsewhere."""
    live.submit(trainjob("pytorch"))
    going = live.running("pytorch", 2)[0]
    said = node_events.interrupt(live.client, live.node(going), live.entry)
    assert said == "AKS sees the scheduled event Redeploy, cordons the node and drains it"
    assert "VMEventScheduled" in state_of(live.node(going))
    live.wait_until("no pod is left there", lambda: live.leaves("pytorch", going))
    assert going not in live.running("pytorch", 2)
    assert live.restarts() == (1, 0)


def test_a_node_whose_drivers_are_the_operators_shows_a_lost_gpu_by_its_count_alone(live: Live) -> None:
    """A GPU of a node is lost. Its device plugin counts it out; AKS, which does not own the driver, writes nothing."""
    broken = live.nodes()[0]["metadata"]["name"]
    said = node_events.degrade(live.client, live.node(broken), live.entry, live.cluster.ledger.all())
    assert said == "7 nvidia.com/gpu work; no node condition in this cluster reports it"
    assert state_of(live.node(broken)) == "Ready, 7 of 8 nvidia.com/gpu work"
