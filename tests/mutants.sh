#!/usr/bin/env bash
# Plant faults in decisive code and list those that no Rust test notices. Takes hours; no part of CI.
#
#     bash tests/mutants.sh [PATH...]        e.g. bash tests/mutants.sh src/gates/reconcile
#
# Needs cargo-mutants (cargo install --locked cargo-mutants). Without a path: gates, evidence and value.
# Survivors stand in target/mutants.out/missed.txt; comparisons, bounds and conditions that decide have none.
set -euo pipefail
cd "$(dirname "$0")/.."

command -v cargo-mutants > /dev/null || {
    echo "mutants.sh: cargo-mutants is not installed: cargo install --locked cargo-mutants" >&2
    exit 2
}

paths=("$@")
[ "${#paths[@]}" -gt 0 ] || paths=(src/gates src/evidence src/value)
files=()
for path in "${paths[@]}"; do
    if [ -d "$path" ]; then files+=(--file "$path/**/*.rs"); else files+=(--file "$path"); fi
done

# The extension module is tested from Python; its crate would only double the time.
exec cargo mutants --package gatewright --output target --jobs "${JOBS:-1}" "${files[@]}" \
    -- --lib --locked
