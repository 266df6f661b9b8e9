#!/usr/bin/env bash
# Makes .cache/neutron-venv with a real Neutron. Quick when it is already there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

support="$ROOT/tests/support/neutron"
venv="$CACHE/neutron-venv"
want="$(stamp "$support"/*.txt "$support/tables.py" "${BASH_SOURCE[0]}")"
if [ -f "$venv/template.db" ] && [ "$(cat "$venv/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
say "making the Python environment of Neutron"
rm -rf "$venv"
python3 -m venv "$venv"
# The constraints are the whole list: looking for what each package needs takes longer than fetching them. `check` says if
# another Python needs one more. Most modules are never used, so that none is compiled before it is.
pip() { "$venv/bin/python" -m pip "$@" --disable-pip-version-check >&2; }
pip install -q --no-compile --no-deps -r "$support/requirements.txt" -r "$support/constraints.txt" && pip check -q ||
  fail "Neutron could not be installed"

# An empty database, for every test's Neutron to begin with a copy of.
"$venv/bin/python" -W ignore "$support/tables.py" "$venv/template.db" >"$CACHE/neutron-template.log" 2>&1 ||
  { tail -5 "$CACHE/neutron-template.log" >&2; fail "Neutron's database could not be made"; }
echo "$want" > "$venv/.stamp"
