#!/usr/bin/env bash
# Writes requirements/*.txt from requirements/*.in: every version and every hash of uv, ros, core and test.
# Later layers are held to the versions of the earlier ones, so that no layer moves another one's packages.
# Existing versions stay; `tools/bootstrap/lock.sh --upgrade` takes the newest.
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../../requirements"
uv=$(command -v uv || echo ../.venv/bin/uv)
export UV_CUSTOM_COMPILE_COMMAND="tools/bootstrap/lock.sh"

lock() { # lock LAYER EARLIER...
  local layer=$1 earlier constraints=()
  shift
  for earlier in "$@"; do constraints+=(--constraint "$earlier.txt"); done
  "$uv" pip compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links \
    --python-version 3.11 --python-platform x86_64-manylinux_2_28 \
    "${constraints[@]}" "${options[@]}" "$layer.in" --output-file "$layer.txt"
}

options=("$@")
lock uv
lock ros
lock core ros
lock test ros core
