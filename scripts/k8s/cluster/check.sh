#!/usr/bin/env bash
# What must hold of Tenure on a real cluster, with overlays/dev and several replicas of what takes them: check.sh DIRECTORY.
# KUBECONFIG names the cluster; run it where its Services can be reached.
source "$(dirname "${BASH_SOURCE[0]}")/../../test-env/lib.sh"
here="$ROOT/scripts/k8s/cluster" run=$1
parts=(gateway pdp inventory conductor allocation compute)
say() { printf 'check: %s\n' "$*"; }
k() { kubectl -n tenure "$@"; }
failures=0
expect() { # WHAT EXPECTED FOUND
  if [ "$2" = "$3" ]; then say "ok: $1"; return; fi
  failures=$((failures + 1))
  printf 'check: FAILED: %s\n  expected: %s\n  found:    %s\n' "$1" "$2" "$3" >&2
}
workload() { node "$here/load.mjs" "$gateway" "$run/token" "$1" 100 > "$run/load" & loader=$!; }
expect_no_loss() { # WHAT: none of the requests of the load was lost
  wait "$loader"
  cat "$run/load" >&2
  expect "$1" 0 "$(head -1 "$run/load" | node -p 'const { asked, seen } = JSON.parse(require("node:fs").readFileSync(0, "utf8")); asked - (seen[200] ?? 0)')"
}

say "rolling out every part but the inventory anew, under load"
load 60
sleep 3
for part in gateway allocation compute pdp conductor; do k rollout restart "$(workload "$part")" >/dev/null; done
rolled_out
expect_no_loss "no request is lost by the update"

say "killing replicas under load"
load 40
sleep 3
for script in services/pdp services/allocation services/conductor; do
  kill -KILL "$(pgrep -o -f "^node .*$script/dist/server.js")"
  sleep 10
done
expect_no_loss "no request is lost by the death of a decision point, an allocation service and a conductor"
rolled_out

say "draining the node"
kubectl drain node --ignore-daemonsets --delete-emptydir-data --timeout 30s >/dev/null 2>&1 || true
expect "a disruption budget keeps one of each part where nothing can be started anew" '1 1 1 1 1' \
  "$(for part in gateway pdp conductor allocation compute; do k get pods -l "app.kubernetes.io/name=$part" --field-selector status.phase=Running --no-headers | wc -l; done | xargs)"
kubectl uncordon node >/dev/null
rolled_out
expect "restarts of containers that nobody killed" '' \
  "$(k get pods -l 'app.kubernetes.io/name in (gateway, inventory, compute)' -o jsonpath='{range .items[*]}{range .status.containerStatuses[?(@.restartCount > 0)]}{.name} {end}{end}')"

[ "$failures" = 0 ] || fail "$failures checks failed"
say "all checks passed"
