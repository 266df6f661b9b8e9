"""Serves a real Neutron on loopback: serve.py PORT, with its configuration where OS_NEUTRON_CONFIG_FILES says."""

import sys

port = int(sys.argv[1])
# Neutron reads the command line of its process as its own.
sys.argv = sys.argv[:1]

from neutron.wsgi.api import application  # noqa: E402
from neutron.db.migration.models.head import get_metadata  # noqa: E402, F401: every model
from sqlalchemy.orm import configure_mappers  # noqa: E402
from waitress import serve  # noqa: E402

# Reading a port needs members of its class that other models add; SQLAlchemy adds them when something is written.
configure_mappers()
# One at a time: SQLite refuses a write that another one overtakes.
serve(application, listen=f"127.0.0.1:{port}", threads=1)
