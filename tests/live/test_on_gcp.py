from __future__ import annotations

from collections.abc import Iterator

import pytest

from gpucluster.sandbox.live import node_events
from tests.live.accepted import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.conftest import brought_up
from tests.live.everywhere import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.harness import Live, trainjob
from tests.live.rehearsed import *  # noqa: F403 - the same

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The trial stack on this cloud."""
    yield from brought_up(tmp_path_factory.mktemp("gcp"), "gcp")


def test_maintenance_of_a_host_moves_its_job(live: Live) -> None:
    """A job runs on two nodes. GKE announces maintenance of one and stops its pods: the job runs again elsewhere."""
    live.submit(trainjob("pytorch"))
    going = live.running("pytorch", 2)[0]
    said = node_events.interrupt(live.client, live.node(going), live.entry)
    assert said == "GKE marks the maintenance as ongoing, keeps new pods away and stops those of the node"
    assert live.node(going)["metadata"]["labels"]["cloud.google.com/active-node-maintenance"] == "ONGOING"
    live.wait_until("no pod is left there", lambda: live.leaves("pytorch", going))
    assert going not in live.running("pytorch", 2)
    assert live.restarts() == (1, 0)
