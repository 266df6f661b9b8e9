#!/usr/bin/env bash
# Everything that `make test-vm` needs beside install.sh: an emulator with libvirt, and into .cache/vm the kernel, the
# initramfs and the boot loader of the machine's medium. Quick when it is already there. A machine that cannot get them
# fails here, loudly.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
PATH="$PATH:/usr/sbin:/sbin"

machine="$ROOT/tests/vm/machine"
vm="$CACHE/vm"
# What the kernel of the medium may load: its drives, its network card, its power button.
modules=(virtio_pci virtio_blk virtio_net ata_piix sr_mod sd_mod isofs floppy button evdev)

missing=()
needs() { [ -e "$1" ] || command -v "$1" >/dev/null || missing+=("$2"); }
needs qemu-system-x86_64 qemu-system-x86
needs libvirtd libvirt-daemon
needs /usr/lib/x86_64-linux-gnu/libvirt/connection-driver/libvirt_driver_qemu.so libvirt-daemon-driver-qemu
needs virsh libvirt-clients
needs xorriso xorriso
needs cpio cpio
needs setpriv util-linux
needs /usr/bin/python3 python3
needs /usr/lib/python3/dist-packages/libvirt.py python3-libvirt
/usr/bin/python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3-venv)
[ ${#missing[@]} = 0 ] || need_debian "${missing[@]}"

want="$(stamp "${BASH_SOURCE[0]}" "$machine/init" "$ROOT/tests/support/clients/requirements.txt")"
[ "$(cat "$vm/.stamp" 2>/dev/null)" = "$want" ] && exit 0

# unpack PACKAGE...: the files of Debian packages, into .cache/vm/root; nothing is installed.
unpack() {
  say "fetching: $*"
  (cd "$vm" && { apt-get download -qq "$@" || { apt-get update -qq && apt-get download -qq "$@"; }; }) >&2 2>/dev/null ||
    fail "apt-get could not download: $*"
  local deb
  for deb in "$vm"/*.deb; do dpkg-deb -x "$deb" "$vm/root" && rm "$deb"; done
}

rm -rf "$vm"
mkdir -p "$vm/root" "$vm/medium"
kernel="$(apt-cache depends linux-image-amd64 2>/dev/null | awk '$1 == "Depends:" && $2 ~ /^linux-image-/ {print $2; exit}')"
[ -n "$kernel" ] || fail "apt knows no package linux-image-amd64, whose kernel the machine boots"
unpack "$kernel" busybox-static isolinux syslinux-common

say "making the medium's kernel, initramfs and boot loader"
version="${kernel#linux-image-}"
busybox="$vm/root/bin/busybox"
[ -x "$busybox" ] || busybox="$vm/root/usr/bin/busybox"
[ -d "$vm/root/lib/modules" ] || mv "$vm/root/usr/lib/modules" "$vm/root/lib/"
"$busybox" depmod -b "$vm/root" "$version" || fail "the kernel's modules could not be listed"
initramfs="$vm/initramfs"
mkdir -p "$initramfs"/{bin,dev,etc,mnt,proc,sys,tmp,"lib/modules/$version"}
index="$vm/root/lib/modules/$version/modules.dep"
for module in "${modules[@]}"; do
  line="$(grep -m 1 "/$module\.ko[^:]*:" "$index")" || { grep -q "/$module\.ko" "$vm/root/lib/modules/$version/modules.builtin" && continue; fail "the kernel has no module $module"; }
  for file in ${line/:/}; do
    mkdir -p "$initramfs/lib/modules/$version/$(dirname "$file")"
    cp "$vm/root/lib/modules/$version/$file" "$initramfs/lib/modules/$version/$file"
  done
done
"$busybox" depmod -b "$initramfs" "$version"
cp "$busybox" "$initramfs/bin/busybox"
"$busybox" --list | while read -r applet; do [ "$applet" = busybox ] || ln -s busybox "$initramfs/bin/$applet"; done
install -m 755 "$machine/init" "$initramfs/init"
(cd "$initramfs" && find . | cpio -o -H newc -R 0:0 --quiet | gzip -1) > "$vm/medium/initrd"
cp "$vm/root/boot/vmlinuz-$version" "$vm/medium/vmlinuz"
cp "$vm/root/usr/lib/ISOLINUX/isolinux.bin" "$vm/root/usr/lib/syslinux/modules/bios/ldlinux.c32" "$vm/medium/"
cp "$vm/root/usr/lib/ISOLINUX/isohdpfx.bin" "$vm/"
rm -rf "$vm/root" "$initramfs"

# Debian's Python, for its libvirt binding; the emulator itself in the version that the other suites use.
say "making the Python environment of the emulator with libvirt"
/usr/bin/python3 -m venv --system-site-packages "$vm/venv"
"$vm/venv/bin/python" -m pip install -q --disable-pip-version-check \
  "$(grep '^sushy-tools==' "$ROOT/tests/support/clients/requirements.txt")" \
  -c "$ROOT/tests/support/clients/constraints.txt" >&2 || fail "sushy-tools could not be installed"
"$vm/venv/bin/python" -c 'import libvirt, sushy_tools' || fail "sushy-tools does not find libvirt's binding"
echo "$want" > "$vm/.stamp"
