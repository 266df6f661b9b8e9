"""Makes an empty database of Neutron: tables.py FILE. Its migrations are for other databases than SQLite."""

import sys

from neutron.db.migration.models.head import get_metadata
from sqlalchemy import create_engine
from sqlalchemy.orm import configure_mappers

metadata = get_metadata()
configure_mappers()
metadata.create_all(create_engine(f"sqlite:///{sys.argv[1]}"))
