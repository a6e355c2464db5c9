# shellcheck shell=bash
# What every part of ./milo shares: where things are, which ROS 2 is used, what is up to date.
# Sourced with $root set. Only coreutils, so that it costs milliseconds.

state=$root/.milo
extras=(vision llm eai robouse docs)
export MILO_ROOT=$root

say() { printf '%s\n' "$*" >&2; }
die() { # die SENTENCE [EXIT_CODE]
  printf 'milo: %s\n' "$1" >&2
  exit "${2:-1}"
}

# Prefix of the ROS 2 installation that is sourced: it has rclpy and is no virtual environment
# (./milo itself makes an environment look like a ROS 2 prefix).
sourced_prefix() {
  local prefix prefixes
  IFS=: read -r -a prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for prefix in ${prefixes[@]+"${prefixes[@]}"}; do
    if [ -f "$prefix/share/rclpy/package.xml" ] && [ ! -f "$prefix/pyvenv.cfg" ]; then
      printf '%s' "$prefix"
      return
    fi
  done
}

# mode is `installed` when a ROS 2 of Jazzy or newer is sourced (names are alphabetical, and rolling), else `wheels`.
# MILO_ROS=wheels ignores what is sourced.
choose_mode() {
  mode=wheels
  distro=kilted
  ros_prefix=$(sourced_prefix)
  too_old=
  if [ -n "$ros_prefix" ] && [ "${MILO_ROS:-}" != wheels ]; then
    case ${ROS_VERSION:-2}:${ROS_DISTRO:-} in
      2:[j-z]*)
        mode=installed
        distro=$ROS_DISTRO
        ;;
      *) too_old=${ROS_DISTRO:-unknown} ;;
    esac
  fi
  if [ "$mode" = wheels ]; then venv=$root/.venv; else venv=$root/.venv-$distro; fi
  python=$venv/bin/python
}

# One short name for the content (and the paths) of the files.
digest() { sha256sum -- "$@" 2>/dev/null | sha256sum | cut -c1-16; }

# The file a layer is installed from: the lock where there is one and the ROS 2 wheels are used (an installed ROS 2
# has its own numpy, so there only the ranges can hold).
requirements_of() {
  if [ "$mode" = wheels ] && [ -f "$root/requirements/$1.txt" ]; then
    printf '%s/requirements/%s.txt' "$root" "$1"
  else
    printf '%s/requirements/%s.in' "$root" "$1"
  fi
}

layer_digest() {
  case $1 in
    ros) digest "$(requirements_of ros)" "$root/tools/bootstrap/relocate.py" ;;
    *) digest "$(requirements_of "$1")" ;;
  esac
}

# What the workspace is built from. Python modules are linked, not copied: only new packages, entry points and
# installed files need a build.
workspace_digest() {
  {
    printf '%s\n' "$root" "$mode" "$distro" "$ros_prefix" "$(layer_digest ros)"
    printf '%s\n' "$root"/launch/* "$root"/src/milo_benchmark/config/*
    sha256sum -- "$root"/tools/bootstrap/build.sh "$root"/msg/package.xml "$root"/msg/CMakeLists.txt \
      "$root"/msg/*/*.* "$root"/msg/standard/*/*.* "$root"/msg/standard/*/msg/*.* \
      "$root"/src/*/package.xml "$root"/src/*/setup.py "$root"/src/*/setup.cfg 2>/dev/null
  } | sha256sum | cut -c1-16
}

# Stamps are written last and in one step, so an interrupted set-up is never taken for a finished one.
stamp() {
  mkdir -p -- "${1%/*}"
  printf '%s\n' "$2" >"$1.new"
  mv -f -- "$1.new" "$1"
}
stamped() {
  local found=
  [ -f "$1" ] && read -r found <"$1"
  [ "$found" = "$2" ]
}
layer_stamp() { printf '%s/.milo/%s' "$venv" "$1"; }
workspace_stamp=$root/install/.milo-workspace

layer_ready() { stamped "$(layer_stamp "$1")" "$(layer_digest "$1")"; }
workspace_ready() {
  [ -f "$state/env.sh" ] && [ -f "$root/build/.milo-kind" ] && stamped "$workspace_stamp" "$(workspace_digest)"
}

ready() {
  local layer
  [ -x "$python" ] || return 1
  [ "$mode" = installed ] || layer_ready ros || return 1
  for layer in "$@"; do layer_ready "$layer" || return 1; done
  workspace_ready
}

# Set up what is missing of the named layers; nothing when all is up to date.
ensure() {
  ready "$@" && return
  . "$root/tools/bootstrap/setup.sh"
  prepare "$@"
}

# The environment of every MILO process, written by the set-up.
enter() { . "$state/env.sh"; }

choose_mode
