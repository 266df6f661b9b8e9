"""Runs the real OpenStack clients, each call in a child of one process that has imported them already.

Starting Python and importing a client takes more than a second, and a suite makes hundreds of calls. This
server imports once, and then forks for each JSON line on its standard input, so that no call sees what
another left behind (the shell keeps the first token that it saw). A line is either

  {"id": 1, "kind": "osc", "argv": [...], "env": {...}}   the shell of python-openstackclient, unchanged
  {"id": 2, "kind": "sdk", "endpoint": ..., "token": ..., "code": ...}   Python with `conn`, that sets `result`

and is answered by one JSON line with the same id. Everything that a command prints is captured.
"""

import contextlib
import io
import json
import os
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


def in_child(request):
    """The answer to a request, as JSON, made by a child of this process."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            answer = RUNNERS[request["kind"]](request)
        except BaseException:
            answer = {"broken": traceback.format_exc()}
        with os.fdopen(writable, "w") as pipe:
            pipe.write(json.dumps({"id": request["id"], **answer}, default=str))
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return text or json.dumps({"id": request["id"], "broken": "the client died"})


def main():
    for line in sys.stdin:
        ANSWERS.write(in_child(json.loads(line)) + "\n")


main()
