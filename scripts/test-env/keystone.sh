#!/usr/bin/env bash
# Makes .cache/keystone-venv with a real Keystone. Quick when it is already there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requirements="$ROOT/tests/support/keystone/requirements.txt"
constraints="$ROOT/tests/support/keystone/constraints.txt"
venv="$CACHE/keystone-venv"
want="$(stamp "$requirements" "$constraints")"
if [ -x "$venv/bin/keystone-manage" ] && [ "$(cat "$venv/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
say "making the Python environment of Keystone"
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" -c "$constraints" >&2 ||
  fail "Keystone could not be installed"
"$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true

# An empty database, for every Keystone that a test starts to begin with a copy of.
printf '[database]\nconnection = sqlite:///%s/empty.db\n' "$venv" > "$venv/empty.conf"
"$venv/bin/keystone-manage" --config-file "$venv/empty.conf" db_sync >/dev/null 2>"$CACHE/keystone-db-sync.log" ||
  { tail -5 "$CACHE/keystone-db-sync.log" >&2; fail "Keystone's database could not be made"; }
echo "$want" > "$venv/.stamp"
