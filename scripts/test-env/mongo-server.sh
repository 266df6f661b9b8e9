#!/usr/bin/env bash
# Builds the in-memory MongoDB stand-in into .cache/mongo-server. Quick when it is already there.
# A machine without Java and Maven, and without a way to get them, fails here, loudly: the MongoDB
# tests are never skipped.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

source_dir="$ROOT/tests/support/mongo-server"
target="$CACHE/mongo-server"
want="$(stamp "$source_dir/pom.xml" "$source_dir/src/main/java/tenure/MongoServerMain.java")"
if [ -f "$target/mongo-server.jar" ] && [ "$(cat "$target/.stamp" 2>/dev/null)" = "$want" ] &&
  command -v java >/dev/null; then exit 0; fi

command -v javac >/dev/null || need_debian openjdk-17-jdk-headless
command -v mvn >/dev/null || need_debian maven
say "building the MongoDB stand-in"
rm -rf "$target"
mkdir -p "$target"
log="$CACHE/mongo-server-build.log"
mvn -B -q -f "$source_dir/pom.xml" -Dtenure.out="$target" package >"$log" 2>&1 ||
  { tail -20 "$log" >&2; fail "Maven could not build the MongoDB stand-in"; }
[ -f "$target/mongo-server.jar" ] || fail "Maven built no mongo-server.jar"
echo "$want" > "$target/.stamp"
