#!/usr/bin/env bash
# A real cluster of one node on this machine, with Tenure on it, and what must hold there. Everything runs in namespaces of its
# own: no address, mount or process of it is seen outside, and all of it ends with this script.
# Usage: cluster.sh            makes the cluster, checks, and takes it away
#        cluster.sh --shell    makes the cluster, and opens a shell in it in place of the checks
source "$(dirname "${BASH_SOURCE[0]}")/../../test-env/lib.sh"
here="$ROOT/scripts/k8s/cluster"
bin="$CACHE/k8s-cluster/bin"
[ "$(id -u)" = 0 ] || fail "namespaces and containers want root"
[ -d /sys/fs/cgroup/memory ] || fail "this is written for cgroup v1, which is not mounted here"

for program in buildah containerd runc iptables conntrack ip; do
  command -v "$program" >/dev/null && continue
  need_debian buildah containerd runc containernetworking-plugins iptables conntrack iproute2
  break
done
"$here/build.sh"

run="$(mktemp -d /tmp/tenure-cluster-XXXXXX)"
cluster=''
# Settings of the kernel that a kubelet changes for the whole machine.
settings=(vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes)
before=()
for setting in "${settings[@]}"; do before+=("$(cat "/proc/sys/$setting")"); done

clean_up() {
  # With the first process of its namespace all others of the cluster end.
  [ -z "$cluster" ] || { kill -KILL "$cluster" 2>/dev/null || true; wait "$cluster" 2>/dev/null || true; }
  for index in "${!settings[@]}"; do echo "${before[$index]}" > "/proc/sys/${settings[$index]}"; done
  for _ in 1 2 3 4 5 6 7 8 9 10; do
    find /sys/fs/cgroup -mindepth 2 -depth -type d -path '*/tenure-cluster*' -exec rmdir {} + 2>/dev/null && break
    sleep 0.5
  done
  rm -rf "$run"
}
trap clean_up EXIT
trap 'exit 143' TERM INT

say "making the images"
"$here/images.sh" "$bin" "$run/images"
say "starting the cluster"
unshare --net --mount --pid --fork --mount-proc --kill-child bash "$here/inside.sh" "$bin" "$run" &
cluster=$!
for _ in $(seq 1 600); do
  [ -f "$run/ready" ] && break
  kill -0 "$cluster" 2>/dev/null || fail "the cluster ended; its logs were in $run/log"
  sleep 0.5
done
[ -f "$run/ready" ] || { tail -n 3 "$run"/log/*.log >&2; fail "the cluster did not come up within 300 s"; }

first="$(pgrep -P "$cluster" | head -1)"
inside() { nsenter -t "$first" -n -m -p --wd="$ROOT" env "PATH=$bin:$PATH" "KUBECONFIG=$run/admin.kubeconfig" "$@"; }
if [ "${1:-}" = --shell ]; then inside bash; else inside "$here/check.sh" "$run"; fi
