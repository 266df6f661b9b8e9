"""Runs the real OpenStack clients, each call in a child of one process that has imported them already.

Starting Python and importing a client takes more than a second, and a suite makes hundreds of calls. This
server imports once, and then forks for each JSON line on its standard input, so that no call sees what
another left behind (the shell keeps the first token that it saw). A line is either

  {"id": 1, "kind": "osc", "argv": [...], "env": {...}}   the shell of python-openstackclient, unchanged
  {"id": 2, "kind": "sdk", "endpoint": ..., "token": ..., "code": ...}   Python with `conn`, that sets `result`

and is answered by one JSON line with the same id, when it is done: calls that are sent together run together.
Everything that a command prints is captured.
"""

import contextlib
import io
import json
import os
import selectors
import sys
import traceback
from importlib import metadata

import openstack
import openstack.baremetal.v1._proxy
from cliff import command
from openstackclient import shell
from osc_lib.command import commandmanager

# The answers go to a copy of standard output, so that nothing a client prints can mix with them.
ANSWERS = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)


def preload():
    """Imports what every child would import for itself: all commands of the shell, and their formatters."""
    manager = commandmanager.CommandManager("openstack.cli")
    for group in metadata.entry_points().groups:
        if group.startswith(("openstack.", "cliff.formatter.")):
            manager.add_command_group(group)
    command._get_distributions_by_modules()


preload()
# The shell names itself after the program in its messages.
sys.argv = ["openstack"]


def run_osc(request):
    out, err = io.StringIO(), io.StringIO()
    os.environ.update(request["env"])
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = shell.OpenStackShell().run(request["argv"])
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    return {"code": code or 0, "stdout": out.getvalue(), "stderr": err.getvalue()}


def run_sdk(request):
    conn = openstack.connection.Connection(
        auth_type="admin_token",
        auth={"endpoint": request["endpoint"], "token": request["token"]},
        baremetal_endpoint_override=request["endpoint"],
        baremetal_introspection_endpoint_override=request["endpoint"],
        compute_endpoint_override=request["endpoint"] + "/v2.1",
        region_name="RegionOne",
    )
    names = {"conn": conn, "openstack": openstack, "result": None}
    try:
        exec(compile(request["code"], "<test>", "exec"), names)
    except Exception as error:  # the test asks for the class and the status, whatever was raised
        return {
            "result": None,
            "error": {
                "type": type(error).__name__,
                "status": getattr(error, "http_status", getattr(error, "status_code", None)),
                "message": str(error),
            },
        }
    finally:
        conn.close()
    return {"result": names["result"], "error": None}


RUNNERS = {"osc": run_osc, "sdk": run_sdk}


def start_child(request):
    """Starts a child of this process that makes the answer; gives the pipe that it will come out of."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(readable)
        try:
            answer = RUNNERS[request["kind"]](request)
        except BaseException:
            answer = {"broken": traceback.format_exc()}
        with os.fdopen(writable, "w") as pipe:
            pipe.write(json.dumps({"id": request["id"], **answer}, default=str))
        os._exit(0)
    os.close(writable)
    return child, readable


class Server:
    def __init__(self):
        self.events = selectors.DefaultSelector()
        self.events.register(0, selectors.EVENT_READ, self.read_requests)
        self.pending = b""
        self.is_open = True

    def read_requests(self):
        received = os.read(0, 1 << 16)
        self.is_open = received != b""
        *lines, self.pending = (self.pending + received).split(b"\n")
        for line in lines:
            self.start(json.loads(line))

    def start(self, request):
        child, readable = start_child(request)
        parts = []

        def read_answer():
            received = os.read(readable, 1 << 16)
            if received:
                parts.append(received)
                return
            self.events.unregister(readable)
            os.close(readable)
            os.waitpid(child, 0)
            broken = json.dumps({"id": request["id"], "broken": "the client died"})
            ANSWERS.write((b"".join(parts).decode() or broken) + "\n")

        self.events.register(readable, selectors.EVENT_READ, read_answer)

    def run(self):
        while self.is_open:
            for key, _ in self.events.select():
                key.data()


Server().run()
