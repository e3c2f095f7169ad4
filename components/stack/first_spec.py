"""A first spec to start from."""

from __future__ import annotations

import os
from pathlib import Path

_SCHEMAS = (Path("schema.json"), Path("specs/schema.json"), Path("stacks/specs/schema.json"))
# A month of the most expensive machine with 8 H100, a3-megagpu-8g, is $68,182 at list price; plus room for the rest.
_USD_A_NODE = 80_000
EXAMPLE_RANGE = "203.0.113.0/24"
"""A range for documentation (RFC 5737): an update refuses it."""

_TEXT = """\
{schema}# A training cluster, independent of the cloud. The stack's configuration chooses cloud and location.
name: {name}
accelerator: h100

training:
  nodes: {nodes}              # nodes of 8 GPUs that jobs can use
  spares: {spares}             # spare nodes, in the same placement group

purchase:
  kind: on-demand

placement:
  kind: group           # a placement group made for this cluster

storage:
  shared:
    usable_tib: 20      # TiB that data may fill; headroom is added
    gb_per_s: 3
    protect: true       # refuse to delete it with the cluster

labels:                 # on every resource
  team: research
  project: foundation-model
  cost-center: cc-1234
  environment: trial
  owner: ml-platform

budget:
  monthly_usd: {budget}
  on_exceed: fail       # refuse the plan before anything is registered

duration: 14d

access:
  kind: public          # the cluster's API, for these ranges only
  cidrs:
    - {range}    # replace with the range of your office or VPN
"""


def first_spec(name: str, nodes: int, schema: str | None) -> str:
    """A whole spec with comments. nodes: of 8 GPUs; a spare is added. schema: its path relative to the spec."""
    spares = 1 if nodes > 1 else 0
    line = "" if schema is None else schema_line(schema)
    budget = _USD_A_NODE * (nodes + spares)
    return _TEXT.format(schema=line, name=name, nodes=nodes, spares=spares, budget=budget, range=EXAMPLE_RANGE)


def schema_line(schema: str) -> str:
    """The first line of a file that editors check and complete. schema: its path relative to the file."""
    return f"# yaml-language-server: $schema={schema}\n"


def relative_schema(path: Path, name: str = "schema.json") -> str | None:
    """Relative path of the project's schema from a file at `path`; None without one. name: of the schema's file."""
    folder = path.absolute().parent
    for root in (folder, *folder.parents):
        for schema in (each.with_name(name) for each in _SCHEMAS):
            if (root / schema).is_file() and (root / schema).parent.name == "specs":
                return os.path.relpath(root / schema, folder)
    return None
