"""Serves a real Keystone on loopback: serve.py PORT, with its configuration where OS_KEYSTONE_CONFIG_FILES says."""

import sys

port = int(sys.argv[1])
# Keystone reads the command line of its process as its own.
sys.argv = sys.argv[:1]

from keystone.wsgi.api import application  # noqa: E402
from waitress import serve  # noqa: E402

# One at a time: SQLite refuses a write that another one overtakes.
serve(application, listen=f"127.0.0.1:{port}", threads=1)
