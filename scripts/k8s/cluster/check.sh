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
workload() { case "$1" in pdp | conductor) echo "statefulset/$1" ;; *) echo "deployment/$1" ;; esac; }
rolled_out() { for part in "${parts[@]}"; do k rollout status "$(workload "$part")" --timeout 240s >/dev/null; done; }

say "applying overlays/dev"
# Claims are bound to these: nothing here makes volumes by itself.
for number in 1 2 3 4; do
  mkdir -p "$run/volumes/$number"
  kubectl apply -f - >/dev/null <<END
apiVersion: v1
kind: PersistentVolume
metadata: {name: volume-$number}
spec:
  capacity: {storage: 50Gi}
  accessModes: [ReadWriteOnce]
  local: {path: $run/volumes/$number}
  nodeAffinity:
    required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [node]}]}]}
END
done
scripts/k8s/make-secrets.sh --dev --cli "$run/secrets" >/dev/null
kubectl create namespace tenure --dry-run=client -o yaml | kubectl apply -f - >/dev/null
kubectl apply -f "$run/secrets/secrets.yaml" >/dev/null
k create configmap policy-bundle --from-file=bundle.tar.gz=policies-rego/bundle.tar.gz --dry-run=client -o yaml |
  kubectl apply --server-side -f - >/dev/null
# Before anything is there: some fields of what is there could not be changed.
expect "the API server takes overlays/production" '' \
  "$(kubectl apply --dry-run=server -k k8s/overlays/production 2>&1 >/dev/null | grep -v last-applied-configuration || true)"
warnings="$(kubectl apply -k k8s/overlays/dev 2>&1 >/dev/null | grep -v last-applied-configuration || true)"
expect "every manifest is taken without a warning" '' "$warnings"
for part in gateway allocation compute pdp conductor; do k scale "$(workload "$part")" --replicas 2 >/dev/null; done
rolled_out
expect "all pods are admitted under the restricted standard, and ready" '11' \
  "$(k get pods -o jsonpath='{range .items[*]}{.status.containerStatuses[0].ready}{"\n"}{end}' | grep -c true)"

# A Deployment with pods that would be refused is only warned of; a pod is refused.
kubectl kustomize k8s/overlays/production | kubectl create --dry-run=client -o json -f - | node "$here/pods.mjs" > "$run/pods.json"
expect "the pods of overlays/production are admitted under the restricted standard" '6 pods' \
  "$(kubectl apply --dry-run=server -o name -f "$run/pods.json" 2>&1 | grep -c '^pod/') pods"

address() { k get service "$1" -o jsonpath='{.spec.clusterIP}'; }
gateway="http://$(address gateway):6385"
tenure() { TENURE_DATA_DIR="$run/secrets/operator" node cli/bin/tenure.js "$@"; }
expect "the command line seeds the fleet" 'inventory seeded with 5 demo nodes' \
  "$(tenure seed --inventory-url "http://$(address inventory):8182")"
tenure token --user root --system all --role admin --ttl 4h > "$run/token"
expect "the gateway's Service answers with the fleet" 'rack1-u01,rack1-u02,rack1-u03,rack1-u04,rack1-u05' \
  "$(curl -sS -m 10 -H "X-Auth-Token: $(cat "$run/token")" -H 'X-OpenStack-Ironic-API-Version: latest' "$gateway/v1/nodes?fields=name" |
    node -p 'JSON.parse(require("node:fs").readFileSync(0, "utf8")).nodes.map((node) => node.name).join()')"

# --- network policies: who reaches whom
reach="$(cat "$here/reach.mjs")"
targets=(gateway:6385 pdp:8181 inventory:8182 conductor:8183 allocation:8184 compute:8185)
reached() { # PART: what a pod of it reaches, of the public ports, other pods' admin ports, and the cluster's API
  local admin=() other
  for other in gateway:7385 pdp:9181 inventory:9182 conductor:9183 allocation:9184 compute:9185; do
    [ "${other%:*}" = "$1" ] || admin+=("$(k get pods -l "app.kubernetes.io/name=${other%:*}" -o jsonpath='{.items[0].status.podIP}'):${other#*:}")
  done
  k exec "$(workload "$1")" -c "$1" -- node --input-type=module -e "$reach" "${targets[@]}" "${admin[@]}" 10.210.0.1:6443 |
    node -p 'Object.entries(JSON.parse(require("node:fs").readFileSync(0, "utf8"))).filter(([, how]) => how === "open").map(([name]) => name).join(" ")'
}
expect "what a gateway reaches" 'pdp:8181 inventory:8182 conductor:8183 allocation:8184 compute:8185' "$(reached gateway)"
expect "what a decision point reaches" '' "$(reached pdp)"
expect "what the inventory reaches" '' "$(reached inventory)"
expect "what a conductor reaches" 'inventory:8182 conductor:8183' "$(reached conductor)"
expect "what allocation reaches" 'inventory:8182' "$(reached allocation)"
expect "what compute reaches" 'inventory:8182 conductor:8183 allocation:8184' "$(reached compute)"

# --- under load
load() { node "$here/load.mjs" "$gateway" "$run/token" "$1" 100 > "$run/load" & loader=$!; }
# expect_answers WHAT ALLOWED...: the load had 200 and, if anything, these (`none`: no answer)
expect_answers() {
  local what="$1"
  shift
  wait "$loader"
  cat "$run/load" >&2
  expect "$what" '' "$(head -1 "$run/load" |
    node -p 'const { seen } = JSON.parse(require("node:fs").readFileSync(0, "utf8")); Object.keys(seen).filter((one) => !["200", ...process.argv.slice(1)].includes(one)).join(" ")' "$@")"
}

say "rolling out every part but the inventory anew, under load"
load 50
sleep 3
for part in gateway allocation compute pdp conductor; do k rollout restart "$(workload "$part")" >/dev/null; done
rolled_out
expect_answers "no request is lost by the update"

say "killing replicas under load"
load 35
sleep 3
for script in services/pdp services/allocation services/conductor; do
  kill -KILL "$(pgrep -o -f "^node .*$script/dist/server.js")"
  sleep 10
done
# What a replica had in hand dies with it.
expect_answers "no request is answered wrongly at the death of a decision point, an allocation service and a conductor" 502 503 504 none
rolled_out

say "draining the node"
# It cannot end: the budgets keep what has no other node to go to. The remaining pods are checked below.
kubectl drain node --ignore-daemonsets --delete-emptydir-data --timeout 20s >/dev/null 2>&1 || true
running() { k get pods -l "app.kubernetes.io/name=$1" --field-selector status.phase=Running --no-headers 2>/dev/null | wc -l; }
expect "disruption budgets keep one of each part where nothing can be started anew" '' \
  "$(for part in gateway pdp conductor allocation compute; do [ "$(running "$part")" -ge 1 ] || printf '%s ' "$part"; done)"
kubectl uncordon node >/dev/null
rolled_out
expect "restarts of containers that nobody killed" '' \
  "$(k get pods -l 'app.kubernetes.io/name in (gateway, inventory, compute)' -o jsonpath='{range .items[*]}{range .status.containerStatuses[?(@.restartCount > 0)]}{.name} {end}{end}')"

[ "$failures" = 0 ] || fail "$failures checks failed"
say "all checks passed"
