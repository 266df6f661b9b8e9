#!/usr/bin/env bash
# with-mongo.sh COMMAND…: runs COMMAND with TENURE_TEST_MONGODB_URI set, and answers its exit code.
# A TENURE_TEST_MONGODB_URI that is already set (a real MongoDB) is used as it is.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

[ $# -gt 0 ] || fail "usage: with-mongo.sh COMMAND…"
if [ -n "${TENURE_TEST_MONGODB_URI:-}" ]; then exec "$@"; fi

"$ROOT/scripts/test-env/mongo-server.sh"
out="$(mktemp)"
java -Xmx512m -jar "$CACHE/mongo-server/mongo-server.jar" >"$out" 2>"$CACHE/mongo-server.log" &
server=$!
trap 'kill "$server" 2>/dev/null || true; wait "$server" 2>/dev/null || true; rm -f "$out"' EXIT
trap 'exit 143' TERM INT

for _ in $(seq 1 300); do
  port="$(sed -n 's/^listening on port \([0-9]*\)$/\1/p' "$out")"
  [ -n "$port" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$CACHE/mongo-server.log" >&2; fail "the MongoDB stand-in died"; }
  sleep 0.1
done
[ -n "${port:-}" ] || fail "the MongoDB stand-in did not start within 30 s"

export TENURE_TEST_MONGODB_URI="mongodb://127.0.0.1:$port/?retryWrites=false"
status=0
"$@" || status=$?
exit "$status"
