"""What schemathesis needs to know of a seeded fleet: real ids, and what must never be seen.

TENURE_SEEDS names a JSON file:
  ids      kind of resource -> ids that requests are to name
  newest   minor of the newest microversion that is served
  values   path parameter -> values that mean something
  hidden   texts that no answer to this caller may contain, unless the request did
  reached  operations that must have succeeded at least once
"""

import itertools
import json
import os
import re

import schemathesis

with open(os.environ["TENURE_SEEDS"], encoding="utf-8") as file:
    SEEDS = json.load(file)

IDS = SEEDS["ids"]

# The kind of resource that a path's {ident} names, by its beginning.
KINDS = [
    ("/v1/ports", "ports"),
    ("/v1/portgroups", "portgroups"),
    ("/v1/volume/connectors", "volume_connectors"),
    ("/v1/volume/targets", "volume_targets"),
    ("/v1/chassis", "chassis"),
    ("/v1/deploy_templates", "deploy_templates"),
    ("/v1/allocations", "allocations"),
    ("/v1/", "nodes"),
    ("/v2.1/", "servers"),
]
# Query keys and members of bodies that name a resource. A marker names one of the kind that is listed.
LINKS = {
    "node": "nodes",
    "node_uuid": "nodes",
    "parent_node": "nodes",
    "portgroup": "portgroups",
    "portgroup_uuid": "portgroups",
    "port_uuid": "ports",
    "chassis_uuid": "chassis",
}
LISTED = [*((f"{path}s", kind) for path, kind in [("/port", "ports"), ("/portgroup", "portgroups")])] + [
    ("/volume/connectors", "volume_connectors"),
    ("/volume/targets", "volume_targets"),
]
PATCHED = ["/extra", "/extra/note", "/description", "/name", "/properties/note", "/resource_class"]


CASES = itertools.count()


def one_in(count):
    """True now and then. Requests come one after the other, so it is the same in every run."""
    return next(CASES) % count == 0


def one_of(pool):
    return pool[next(CASES) % len(pool)]


def kind_of(path):
    return next(kind for beginning, kind in KINDS if path.startswith(beginning))


def listed_kind(path):
    bare = path.removesuffix("/detail")
    return next((kind for end, kind in LISTED if bare.endswith(end)), None) or kind_of(path)


def newer_names():
    """Members and keys that the newest microversion does not know yet, as the description says."""
    names = set()
    with open(os.environ["TENURE_DESCRIPTION"], encoding="utf-8") as description:
        for schema in json.load(description)["components"]["schemas"].values():
            for name, member in schema.get("properties", {}).items():
                since = re.fullmatch(r"Since 1\.(\d+)\.", member.get("description", ""))
                if since and int(since[1]) > SEEDS["newest"]:
                    names.add(name)
    return names


NEWER = newer_names() | {"runbook", "shard", "sharded", "parent_node", "include_children", "conductor_groups"}


def with_real_path(case):
    for name in case.path_parameters or {}:
        pool = IDS.get(kind_of(case.operation.path)) if name == "ident" else SEEDS["values"].get(name)
        if pool:
            case.path_parameters[name] = one_of(pool)


def with_real_links(members, path):
    for name in members:
        kind = listed_kind(path) if name == "marker" else LINKS.get(name)
        if kind and IDS.get(kind):
            members[name] = one_of(IDS[kind])


def without_newer(members):
    for name in NEWER & set(members):
        del members[name]
    if isinstance(members.get("fields"), list):
        members["fields"] = [name for name in members["fields"] if str(name) not in NEWER] or ["uuid"]
    if str(members.get("sort_key")) in NEWER:
        del members["sort_key"]


def with_real_pointers(operations):
    for operation in operations:
        if isinstance(operation, dict):
            operation["path"] = one_of(PATCHED)


@schemathesis.hook
def before_call(context, case, kwargs):
    # The token comes in the other header; both at once are refused before anything is looked at.
    case.headers.pop("Authorization", None)
    if one_in(5):
        return
    path = case.operation.path
    with_real_path(case)
    for members in (case.query, case.body):
        if isinstance(members, dict):
            without_newer(members)
            with_real_links(members, path)
    if isinstance(case.body, list):
        with_real_pointers(case.body)


def text_of_request(response):
    request = response.request
    body = request.body or b""
    return request.url + (body.decode("utf-8", "replace") if isinstance(body, bytes) else str(body))


@schemathesis.check
def hidden_stays_hidden(ctx, response, case):
    """Nothing of a resource that the caller may not see is in any answer, and no request about it succeeds."""
    requested = text_of_request(response).lower()
    answer = (response.text + repr(dict(response.headers))).lower()
    seen = [text for text in SEEDS["hidden"] if text in answer and text not in requested]
    assert not seen, f"the answer holds {seen}"
    # OPTIONS lists the methods, of anything.
    path = "" if response.request.method == "OPTIONS" else response.request.url.split("?")[0].lower()
    named = [text for text in SEEDS["hidden"] if f"/{text}" in path]
    assert not (named and response.status_code < 300), f"{named} was served"


@schemathesis.check
class ReachesWhatItShould:
    """Requests that never succeed check little."""

    def __init__(self):
        self.reached = set()

    def after_response(self, ctx, response, case):
        if response.status_code < 300:
            self.reached.add(case.operation.label)

    def after_run(self, ctx):
        missing = sorted(set(SEEDS["reached"]) - self.reached)
        assert not missing, f"never succeeded: {missing}"
