#!/usr/bin/env bash
# Makes .cache/keystone-venv with a real Keystone. Quick when it is already there.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requirements="$ROOT/tests/support/keystone/requirements.txt"
constraints="$ROOT/tests/support/keystone/constraints.txt"
venv="$CACHE/keystone-venv"
want="$(stamp "$requirements" "$constraints" "${BASH_SOURCE[0]}")"
if [ -x "$venv/bin/keystone-manage" ] && [ "$(cat "$venv/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

python3 -c 'import ensurepip, venv' 2>/dev/null || need_debian python3 python3-venv
say "making the Python environment of Keystone"
rm -rf "$venv"
python3 -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check -r "$requirements" -c "$constraints" >&2 ||
  fail "Keystone could not be installed"
"$venv/bin/python" -m compileall -q "$venv/lib" >/dev/null 2>&1 || true

# A database with an administrator and the roles that there always are, for every test's Keystone to begin with a copy of.
settings="$venv/template.conf"
printf '[database]\nconnection = sqlite:///%s/template.db\n[identity]\npassword_hash_rounds = 4\n' "$venv" > "$settings"
for section in fernet_tokens fernet_receipts; do
  printf '[%s]\nkey_repository = %s/template-keys\n' "$section" "$venv" >> "$settings"
done
mkdir -p -m 700 "$venv/template-keys"
for number in 0 1; do head -c 32 /dev/urandom | base64 | tr '+/' '-_' > "$venv/template-keys/$number"; done
url=http://127.0.0.1:5000/v3
{
  "$venv/bin/keystone-manage" --config-file "$settings" db_sync &&
    "$venv/bin/keystone-manage" --config-file "$settings" bootstrap --bootstrap-password keystone-administrator \
      --bootstrap-admin-url "$url" --bootstrap-public-url "$url" --bootstrap-internal-url "$url" --bootstrap-region-id RegionOne
} >"$CACHE/keystone-template.log" 2>&1 ||
  { tail -5 "$CACHE/keystone-template.log" >&2; fail "Keystone's database could not be made"; }
echo "$want" > "$venv/.stamp"
