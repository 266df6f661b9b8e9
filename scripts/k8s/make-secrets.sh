#!/usr/bin/env bash
# Makes what is secret in an installation; see usage below. Prints nothing secret.
set -euo pipefail

usage() {
  cat <<'TEXT'
Usage: scripts/k8s/make-secrets.sh [--dev] [--cli] [--namespace NAME] DIRECTORY

Makes the Secrets that no other system hands out, each in a folder of DIRECTORY, and all of them in DIRECTORY/secrets.yaml:

  <part>-context-keys   keys under which the parts sign for one another, of each part the pairs that it is in
  gateway-pdp-token     what the gateway shows to the decision points
  pdp-client-tokens     what these take
  pdp-admin-tokens      what `tenure policy reload, rollback, status` show to them
  gateway-shared-state-key, pdp-shared-state-key
                        under them entries in Redis carry a MAC
  pdp-decision-log-key  signs the log of decisions
  inventory-custody-key signs the record of handovers

Existing keys stay as they are, so it is safe to repeat, and a release that needs a further key gets it. A rotated key is a file that
you edit: one key a line, the first signs, all verify.

  --dev              also dev-token-key, for overlays/dev
  --cli              also a key for `tenure import` and `tenure export`, in DIRECTORY/operator (for TENURE_DATA_DIR) and at the inventory
  --namespace NAME   default: tenure

Then: kubectl apply -f DIRECTORY/secrets.yaml
DIRECTORY must lie outside the repository. Needs openssl, and node with --dev.
TEXT
}
fail() { printf 'make-secrets: %s\n' "$*" >&2; exit 1; }

dev='' cli='' namespace=tenure directory=''
while [ $# -gt 0 ]; do
  case "$1" in
    --help | -h) usage; exit 0 ;;
    --dev) dev=yes ;;
    --cli) cli=yes ;;
    --namespace) [ $# -gt 1 ] || fail "--namespace needs a name"; namespace="$2"; shift ;;
    -*) usage >&2; fail "unknown option: $1" ;;
    *) [ -z "$directory" ] || fail "one directory only"; directory="$1" ;;
  esac
  shift
done
[ -n "$directory" ] || { usage >&2; exit 2; }
command -v openssl > /dev/null || fail "openssl is needed"

umask 077
directory="$(realpath -m "$directory")"
root="$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)"
case "$directory/" in "$root"/*) fail "$directory lies in the repository, where secrets do not belong" ;; esac
mkdir -p "$directory"

# Whole or not at all: a file that is there is taken to be good.
write() {
  mkdir -p "$(dirname "$1")"
  cat > "$1.new"
  [ -s "$1.new" ] || fail "$1 could not be made"
  mv "$1.new" "$1"
}
base64url_key() { openssl rand -base64 32 | tr '+/' '-_' | tr -d '='; }
once() { local file="$1"; shift; [ -e "$file" ] || "$@" | write "$file"; }

pairs=(gateway--inventory gateway--conductor gateway--allocation gateway--compute conductor--inventory
  allocation--inventory compute--inventory compute--allocation compute--conductor)
[ -z "$cli" ] || pairs+=(cli--inventory)

holder() { case "$1" in cli) echo operator/keys/cli ;; *) echo "$1-context-keys" ;; esac; }
for pair in "${pairs[@]}"; do
  caller="$directory/$(holder "${pair%--*}")/$pair.key"
  audience="$directory/$(holder "${pair#*--}")/$pair.key"
  if [ ! -e "$caller" ] && [ -e "$audience" ]; then write "$caller" < "$audience"; fi
  once "$caller" base64url_key
  once "$audience" cat "$caller"
done

once "$directory/gateway-pdp-token/token" openssl rand -hex 32
once "$directory/pdp-client-tokens/tokens" cat "$directory/gateway-pdp-token/token"
once "$directory/pdp-admin-tokens/tokens" openssl rand -hex 32
for part in gateway pdp; do once "$directory/$part-shared-state-key/seal.key" base64url_key; done
for secret in pdp-decision-log-key inventory-custody-key; do
  once "$directory/$secret/private.pem" openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256
done
if [ -n "$dev" ]; then
  command -v node > /dev/null || fail "node is needed for --dev"
  dev_key() {
    node -e '
      const { generateKeyPairSync, randomUUID } = require("node:crypto");
      const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" });
      console.log(JSON.stringify({ ...jwk, kid: `dev-${randomUUID()}`, alg: "ES256", use: "sig" }));'
  }
  once "$directory/operator/keys/dev-token/private.jwk.json" dev_key
  once "$directory/dev-token-key/private.jwk.json" cat "$directory/operator/keys/dev-token/private.jwk.json"
fi

manifest() {
  local folder file
  for folder in "$directory"/*/; do
    folder="$(basename "$folder")"
    [ "$folder" != operator ] || continue
    printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\n  namespace: %s\n' "$folder" "$namespace"
    printf '  labels:\n    app.kubernetes.io/part-of: tenure\ntype: Opaque\ndata:\n'
    for file in "$directory/$folder"/*; do
      printf '  %s: %s\n' "$(basename "$file")" "$(openssl base64 -A -in "$file")"
    done
  done
}
manifest | write "$directory/secrets.yaml"
printf 'make-secrets: %s\n' "$directory/secrets.yaml"
