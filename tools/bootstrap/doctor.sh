# shellcheck shell=bash
# ./milo doctor: every prerequisite with ok or the cure. Without a set-up the shell's own checks, after it also the
# checks of doctor.py, which start real processes.

. "$root/tools/bootstrap/preflight.sh"

doctor_command() {
  local name found failed=0
  for name in "${preflight_checks[@]}"; do
    if found=$("check_$name"); then
      doctor_line ok "$name" "$found"
    else
      doctor_line missing "$name" "$found"
      failed=1
    fi
  done
  if command -v ccache >/dev/null; then
    doctor_line ok ccache "rebuilds of the messages are fast"
  else
    doctor_line note ccache "not there, not needed; it makes rebuilds of the messages faster: sudo apt-get install ccache"
  fi
  if ! ready core; then
    doctor_line note set-up "missing or out of date: ./milo setup brings it up to date"
    exit $failed
  fi
  doctor_line ok set-up "$venv, up to date"
  enter
  "$python" "$root/tools/bootstrap/doctor.py" || failed=1
  exit $failed
}

doctor_line() { printf '%-8s %-12s %s\n' "$1" "$2" "$3"; }
