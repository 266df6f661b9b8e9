#!/usr/bin/env bash
# Makes .cache/ipa-venv with the real ironic-python-agent. Quick when it is already there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requirements="$ROOT/tests/support/ipa/requirements.txt"
constraints="$ROOT/tests/support/ipa/constraints.txt"
venv="$CACHE/ipa-venv"
want="$(stamp "$requirements" "$constraints")"
if [ -x "$venv/bin/ironic-python-agent" ] && [ "$(cat "$venv/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
say "making the Python environment of ironic-python-agent"
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" -c "$constraints" >&2 ||
  fail "ironic-python-agent could not be installed"
"$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true
echo "$want" > "$venv/.stamp"
