from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.harness import Live
from tests.live.members import *  # noqa: F403 - on this cloud alone: nothing of it is the cloud's
from tests.live.teams import *  # noqa: F403 - its scenarios, on this cloud
from tests.live.teams import with_teams

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """Two teams on this cloud."""
    yield from with_teams(tmp_path_factory.mktemp("teams"), "aws")
