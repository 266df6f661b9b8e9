#!/usr/bin/env bash
# Makes .cache/certs: a CA with a server certificate for 127.0.0.1 and localhost, and a second CA that
# signed nothing (to be trusted by mistake). Made again when less than a day is left.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

certs="$CACHE/certs"
if [ -f "$certs/other-ca.pem" ] && openssl x509 -checkend 86400 -noout -in "$certs/server.pem" >/dev/null 2>&1; then exit 0; fi

command -v openssl >/dev/null || need_debian openssl
say "making the certificates of the emulated BMCs"
rm -rf "$certs"
mkdir -p "$certs"
cd "$certs"
umask 077
ca() {
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 -subj "/CN=$2" \
    -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign \
    -keyout "$1.key" -out "$1.pem" 2>/dev/null
}
ca ca "Tenure test CA"
openssl req -newkey rsa:2048 -nodes -subj "/CN=localhost" -keyout server.key -out server.csr 2>/dev/null
printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n' > server.ext
openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile server.ext -out server.pem 2>/dev/null
rm -f server.csr server.ext
# Last, for it marks a complete set.
ca other-ca "Another CA"
