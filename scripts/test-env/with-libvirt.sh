#!/usr/bin/env bash
# with-libvirt.sh COMMAND…: runs COMMAND with a libvirtd of its own, and answers its exit code.
# TENURE_TEST_LIBVIRT_URI is its address; TENURE_TEST_LIBVIRT_DIR a folder whose files its machines can use.
# The daemon is a session's: its settings, sockets, pool and machines are below that folder, and neither it nor its
# machines are root. It stops everything that it started, however COMMAND ends.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
PATH="$PATH:/usr/sbin:/sbin"

[ $# -gt 0 ] || fail "usage: with-libvirt.sh COMMAND…"
"$ROOT/scripts/test-env/vm.sh"

# A short path, for the names of Unix sockets are limited; readable by whoever the daemon runs as.
dir="$(mktemp -d /tmp/tenure-vm.XXXXXX)"
mkdir "$dir"/{config,config/libvirt,run,cache,data,pool,machines}
cat > "$dir/config/libvirt/qemu.conf" <<'CONF'
stdio_handler = "file"
security_driver = "none"
remember_owner = 0
CONF
: > "$dir/libvirtd.conf"
as=()
if [ "$(id -u)" = 0 ]; then
  chown -R 65534:65534 "$dir"
  as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

# Processes that name the folder in their command line: the daemon, its machines, the emulator.
left() { grep -lsF -f - /proc/[0-9]*/cmdline <<<"$dir" | cut -d/ -f3 || true; }
finish() {
  local pid
  for pid in $(left); do kill "$pid" 2>/dev/null || true; done
  for _ in $(seq 1 100); do [ -z "$(left)" ] && break; sleep 0.1; done
  for pid in $(left); do kill -9 "$pid" 2>/dev/null || true; done
  rm -rf "$CACHE/vm-logs"
  mkdir -p "$CACHE/vm-logs"
  cp "$dir"/*.log "$dir"/machines/*.console "$CACHE/vm-logs/" 2>/dev/null || true
  rm -rf "$dir"
}
trap finish EXIT
trap 'exit 143' TERM INT

(cd "$dir" && exec env -i PATH="$PATH" HOME="$dir" XDG_CONFIG_HOME="$dir/config" XDG_RUNTIME_DIR="$dir/run" \
  XDG_CACHE_HOME="$dir/cache" XDG_DATA_HOME="$dir/data" \
  "${as[@]}" libvirtd --config "$dir/libvirtd.conf") >"$dir/libvirtd.log" 2>&1 &
daemon=$!

export TENURE_TEST_LIBVIRT_DIR="$dir"
export TENURE_TEST_LIBVIRT_URI="qemu:///session?socket=$dir/run/libvirt/libvirt-sock"
for _ in $(seq 1 300); do
  virsh -q -c "$TENURE_TEST_LIBVIRT_URI" pool-list >/dev/null 2>&1 && break
  kill -0 "$daemon" 2>/dev/null || { cat "$dir/libvirtd.log" >&2; fail "libvirtd died"; }
  sleep 0.1
done
# Where the emulator keeps the images that it was given.
for step in "pool-define-as default dir --target $dir/pool" "pool-start default"; do
  # shellcheck disable=SC2086
  virsh -q -c "$TENURE_TEST_LIBVIRT_URI" $step >/dev/null || { cat "$dir/libvirtd.log" >&2; fail "virsh $step failed"; }
done

status=0
"$@" || status=$?
exit "$status"
