"""Polls the power of many BMCs as Ironic does: one cached sushy connection each, a pool of threads.

Arguments: file of BMC addresses (one a line), user, password, threads, rounds. Prints seconds for the polls, as JSON.
"""
import concurrent.futures
import json
import resource
import sys
import time

import sushy
import urllib3

urllib3.disable_warnings()
limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

file, user, password, threads, rounds = sys.argv[1:]
with open(file, encoding="utf-8") as lines:
    addresses = lines.read().split()


def connect(address):
    auth = sushy.auth.BasicAuth(username=user, password=password)
    return sushy.Sushy(address, auth=auth, verify=False)


def poll(connection):
    return connection.get_system("/redfish/v1/Systems/1").power_state


with concurrent.futures.ThreadPoolExecutor(int(threads)) as pool:
    connections = list(pool.map(connect, addresses))
    # The first poll opens what stays open.
    states = list(pool.map(poll, connections))
    began = time.monotonic()
    for _ in range(int(rounds)):
        states += pool.map(poll, connections)
    seconds = time.monotonic() - began

if any(state != sushy.PowerState.ON for state in states):
    raise SystemExit("a BMC said something else than that it is switched on")
print(json.dumps({"polls": len(addresses) * int(rounds), "seconds": seconds}))
