#!/usr/bin/env bash
# One job of the set-up: calls a function of setup.sh. Only setup.sh starts it.
set -euo pipefail
root=$MILO_ROOT
. "$root/tools/bootstrap/common.sh"
. "$root/tools/bootstrap/setup.sh"
# Settings of the caller's shell that would send packages elsewhere, or make others look installed.
unset PYTHONHOME PIP_USER PIP_TARGET PIP_PREFIX UV_SYSTEM_PYTHON
[ "$mode" = installed ] || unset PYTHONPATH
"$@"
