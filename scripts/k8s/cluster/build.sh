#!/usr/bin/env bash
# Builds Kubernetes, its name service and the pause program into .cache/k8s-cluster/bin. Quick when they are there.
source "$(dirname "${BASH_SOURCE[0]}")/../../test-env/lib.sh"
here="$ROOT/scripts/k8s/cluster"
bin="$CACHE/k8s-cluster/bin"
want="$(stamp "$here/go.mod" "$here/go.sum" "$here/tools.go" "$here/dns/go.mod" "$here/dns/main.go" "$here/pause/main.go")"
[ "$(cat "$bin/.stamp" 2>/dev/null)" = "$want" ] && exit 0
command -v go >/dev/null || fail "Go is needed to build Kubernetes"

mkdir -p "$bin"
export CGO_ENABLED=0 GOFLAGS='-trimpath -buildvcs=false'
version="$(sed -n 's/^\tk8s.io\/kubernetes //p' "$here/go.mod")"
minor="${version#v1.}"
flags="-s -w -X k8s.io/component-base/version.gitVersion=$version -X k8s.io/component-base/version.gitMajor=1"
flags+=" -X k8s.io/component-base/version.gitMinor=${minor%%.*}"
build() { # FOLDER PACKAGE NAME
  say "building $3"
  (cd "$1" && nice -n 19 go build -p 2 -ldflags "$flags" -o "$bin/$3" "$2") || fail "$3 could not be built"
}
for name in kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubectl; do
  build "$here" "k8s.io/kubernetes/cmd/$name" "$name"
done
build "$here" go.etcd.io/etcd/server/v3 etcd
build "$here" ./pause pause
build "$here/dns" . coredns
echo "$want" > "$bin/.stamp"
