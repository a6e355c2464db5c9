#!/usr/bin/env bash
# One job of the set-up: calls a function of setup.sh. Only setup.sh starts it.
set -euo pipefail
root=$MILO_ROOT
. "$root/tools/bootstrap/common.sh"
. "$root/tools/bootstrap/setup.sh"
"$@"
