#!/usr/bin/env bash
# Makes .cache/venv with the real clients and the Redfish emulator. Quick when it is already there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requirements="$ROOT/tests/support/clients/requirements.txt"
constraints="$ROOT/tests/support/clients/constraints.txt"
venv="$CACHE/venv"
want="$(stamp "$requirements" "$constraints")"
if [ -x "$venv/bin/openstack" ] && [ "$(cat "$venv/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

command -v python3 >/dev/null || need_debian python3 python3-venv
python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3-venv
say "making the Python environment of the test clients"
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" -c "$constraints" >&2 ||
  fail "the Python clients could not be installed"
"$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true
echo "$want" > "$venv/.stamp"
