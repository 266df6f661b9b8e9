"""Runs the code of the real ironic-python-agent that speaks to the API: lookup, heartbeat, inspection.

Only what touches the machine is left out: disks are not waited for. One JSON object on standard input says what to do,

  {"api_url": "http://…", "mac": "52:54:…", "token": null, "node_uuid": null, "callback": ["192.0.2.7", 9999],
   "certificate": null, "inspection_url": null, "findings": {}, "steps": ["lookup", "heartbeat", "inspect"]}

and one JSON object on standard output has the result of each step by its name: {"ok": …} or {"error": "<class>", "message": …}.
"""

import json
import sys

from oslo_config import cfg
from oslo_log import log

from ironic_python_agent import agent as ipa
from ironic_python_agent import hardware, inspector, utils

CONF = cfg.CONF


class Machine:
    """The agent as the kernel parameters of its boot configure it."""

    def __init__(self, order):
        self.order = order
        log.register_options(CONF)
        CONF([], default_config_files=[])
        CONF.set_override("api_url", order["api_url"])
        CONF.set_override("agent_token", order.get("token"))
        CONF.set_override("lookup_timeout", 1)
        CONF.set_override("lookup_interval", 1)
        CONF.set_override("http_request_timeout", 20)
        self.agent = ipa.IronicPythonAgent.from_config(CONF)
        self.agent.advertise_address = tuple(order.get("callback") or ("127.0.0.1", 9999))
        self.uuid = order.get("node_uuid")

    def lookup(self):
        interface = hardware.NetworkInterface(name="eth0", mac_addr=self.order["mac"], has_carrier=True)
        content = self.agent.api_client.lookup_node(
            hardware_info={"interfaces": [interface]},
            timeout=CONF.lookup_timeout,
            starting_interval=CONF.lookup_interval,
            node_uuid=self.order.get("node_uuid"),
        )
        self.agent.process_lookup_data(content)
        self.uuid = self.agent.get_node_uuid()
        return {
            "content": content,
            "token": self.agent.api_client.agent_token,
            "serves": self.agent.serve_api,
            "boot_mode": utils.get_node_boot_mode(hardware.get_cached_node()),
        }

    def heartbeat(self):
        certificate = self.order.get("certificate")
        self.agent.api_client.heartbeat(
            uuid=self.uuid,
            advertise_address=self.agent.advertise_address,
            advertise_protocol="https" if certificate else "http",
            generated_cert=certificate,
        )
        return self.agent.api_client.supports_auto_tls()

    def inspect(self):
        CONF.set_override("inspection_callback_url", self.order["inspection_url"])
        failures = utils.AccumulatedFailures(exc_class=ValueError)
        return inspector.call_inspector(dict(self.order["findings"]), failures)


def outcome(step):
    try:
        return {"ok": step()}
    except Exception as error:  # what a test asks for: which class it is
        return {"error": type(error).__name__, "message": str(error)}


def main():
    order = json.load(sys.stdin)
    hardware.dispatch_to_managers = lambda *_args, **_kwargs: None
    machine = Machine(order)
    steps = {name: outcome(getattr(machine, name)) for name in order["steps"]}
    json.dump(steps, sys.stdout)


main()
