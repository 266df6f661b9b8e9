#!/usr/bin/env bash
# Writes the images of the cluster as archives: images.sh BINARIES DIRECTORY. Those of Tenure hold what scripts/images/assemble.mjs
# puts together, over a base made of this machine's pinned Node and the libraries that it needs, in place of the base image that the
# Containerfile names: no registry is contacted.
source "$(dirname "${BASH_SOURCE[0]}")/../../test-env/lib.sh"
bin=$1 out=$2
base="$out/base" assembled="$out/assembled"
export STORAGE_DRIVER=${STORAGE_DRIVER:-overlay}
mkdir -p "$out"

archive() { # CONTAINER IMAGE
  buildah commit -q --rm "$1" "docker.io/library/$2" >/dev/null
  buildah push -q "docker.io/library/$2" "docker-archive:$out/${2%%:*}.tar:docker.io/library/$2"
  buildah rmi -f "docker.io/library/$2" >/dev/null
}

for name in pause coredns; do
  container="$(buildah from scratch)"
  buildah copy -q "$container" "$bin/$name" "/$name" >/dev/null
  buildah config --entrypoint "[\"/$name\"]" "$container"
  archive "$container" "cluster-$name:local"
done

node="$(readlink -f "$(command -v node)")"
mkdir -p "$base"/{nodejs/bin,etc/ssl/certs,tmp,var/lib}
chmod 1777 "$base/tmp"
cp "$node" "$base/nodejs/bin/node"
ldd "$node" | grep -o '/lib[^ ]*' | while read -r library; do
  mkdir -p "$base$(dirname "$library")"
  cp -L "$library" "$base$library"
done
printf 'hosts: files dns\n' > "$base/etc/nsswitch.conf"

(cd "$ROOT" && node scripts/images/assemble.mjs "$assembled" gateway pdp inventory conductor allocation compute cli)
entries() { sed -n "/^FROM runtime AS tenure-$1\$/,/^ENTRYPOINT/s/^ENTRYPOINT //p" "$ROOT/Containerfile"; }
for part in gateway pdp inventory conductor allocation compute cli; do
  container="$(buildah from scratch)"
  buildah copy -q "$container" "$base" / >/dev/null
  buildah copy -q --chown 10001:10001 "$container" "$assembled/$part/state" /var/lib >/dev/null
  buildah copy -q "$container" "$assembled/$part/app" /app >/dev/null
  buildah config --env PATH=/nodejs/bin --env NODE_ENV=production --env TENURE_DATA_DIR=/var/lib/tenure --workingdir /app \
    --user 10001:10001 --stop-signal SIGTERM --entrypoint "$(entries "$part")" "$container"
  archive "$container" "tenure-$part:0.1.0"
done
rm -rf "$base" "$assembled"
