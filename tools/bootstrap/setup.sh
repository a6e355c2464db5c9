# shellcheck shell=bash
# ./milo setup: virtual environment, requirements, workspace, environment file. Each stage has a stamp that is written
# last; whatever interrupted it, the next start goes on from there.

. "$root/tools/bootstrap/preflight.sh"
. "$root/tools/bootstrap/build.sh"

log=$state/setup.log
build_log=$state/build.log
jobs_running=()

setup_command() {
  local layers=(core) names name begin=$SECONDS
  while [ $# -gt 0 ]; do
    case $1 in
      --with=*) names=${1#--with=} ;;
      --with)
        [ $# -gt 1 ] || die "--with needs the names of extras: ${extras[*]}" 2
        names=$2
        shift
        ;;
      -h | --help)
        usage
        return
        ;;
      *) die "unknown option $1: ./milo setup [--with EXTRA,...], extras: ${extras[*]}" 2 ;;
    esac
    shift
    for name in ${names//,/ }; do
      [[ " test ${extras[*]} " == *" $name "* ]] || die "unknown extra $name: choose from ${extras[*]}" 2
      layers+=("$name")
    done
  done
  ensure "${layers[@]}"
  say "MILO is set up ($((SECONDS - begin)) s)."
}

# Set up the named layers and the workspace, alone: a second ./milo waits for the first.
prepare() {
  # Before the first child: one that a Ctrl-C ends must not look like a broken environment.
  trap 'interrupted 130' INT
  trap 'interrupted 143' TERM
  trap 'interrupted 129' HUP
  preflight
  mkdir -p -- "$state"
  exec 9>"$state/lock"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "Another ./milo is setting up here; waiting for it."
    flock 9
  fi
  if ready "$@"; then
    trap - INT TERM HUP
    exec 9>&-
    return
  fi
  say "Setting up MILO in $root; from nothing it takes about a minute (log: ${log#"$root"/})"
  : >"$log"
  make_environment
  install_layers "$@"
  trap - INT TERM HUP
  exec 9>&-
}

interrupted() {
  trap '' INT TERM HUP
  stop_jobs
  say "Interrupted; the next ./milo goes on from here."
  exit "$1"
}

# Jobs get 3 s to end.
stop_jobs() {
  local group deadline=$((SECONDS + 3))
  for group in ${jobs_running[@]+"${jobs_running[@]}"}; do kill -TERM -- "-$group" 2>/dev/null || true; done
  for group in ${jobs_running[@]+"${jobs_running[@]}"}; do
    while kill -0 -- "-$group" 2>/dev/null && [ $SECONDS -le $deadline ]; do sleep 0.1; done
    kill -KILL -- "-$group" 2>/dev/null || true
  done
  jobs_running=()
}

# Run one function of this file in the background, its output in LOG. Each job is a session, and so a process group, of
# its own: it can be stopped as a whole, and while this shell only waits, signals reach it at once.
start_job() { # start_job LOG FUNCTION ARGS...
  local file=$1
  shift
  base_python=$base_python setsid bash "$root/tools/bootstrap/job.sh" "$@" </dev/null >>"$file" 2>&1 &
  job=$!
  jobs_running+=("$job")
}
finish_job() { # finish_job JOB
  local status=0 left=() other
  wait "$1" || status=$?
  for other in "${jobs_running[@]}"; do [ "$other" = "$1" ] || left+=("$other"); done
  jobs_running=(${left[@]+"${left[@]}"})
  return $status
}

# One line per stage, with its time.
stage() { # stage TITLE COMMAND...
  local title=$1 begin
  begin=$(now)
  shift
  start_job "$log" "$@"
  finish_job "$job" || fail "$title" "$log"
  report "$title" "$begin"
}
now() { date +%s%3N; }
report() { # report TITLE BEGIN
  local tenths=$((($(now) - $2) / 100))
  printf '  %-34s %4d.%d s\n' "$1" $((tenths / 10)) $((tenths % 10)) >&2
}

# End with one sentence, and with the end of the log when the cause is not a known one.
fail() { # fail TITLE LOG
  trap '' INT TERM HUP
  stop_jobs
  if grep -qiE 'no space left on device|errno 28' "$2"; then
    die "the disk of $root is full: make room and start ./milo again, it goes on from here (log: $2)"
  elif grep -qiE "$network_errors" "$2"; then
    die "the Python package index cannot be reached: connect this machine to the network (or set PIP_INDEX_URL and UV_DEFAULT_INDEX to a mirror) and start ./milo again, it goes on from here (log: $2)"
  fi
  grep -vE '^[[:space:]]*$' "$2" | tail -n 12 >&2
  die "\"$1\" failed; the whole log is in $2"
}
network_errors='name resolution|name or service not known|dns error|connection refused|network is unreachable'
network_errors+='|failed to fetch|failed to establish|connection timed out|read timed out|error sending request'

# --- virtual environment ------------------------------------------------------------------------------------------

# An environment works only where it was made: its scripts hold its path.
environment_good() {
  [ -x "$python" ] || return 1
  if [ -f "$venv/.milo/home" ]; then
    stamped "$venv/.milo/home" "$venv" || return 1
  else
    grep -qsF -- "\"$venv\"" "$venv/bin/activate" || return 1
  fi
  [ "$mode" = installed ] || runs_as "$python" 3,11 || return 1
  "$python" -m pip --version >/dev/null 2>&1
}

make_environment() {
  if ! environment_good; then
    [ ! -e "$venv" ] || say "  replacing $venv: incomplete, moved here, or of another Python"
    stage "Python environment" create_environment
  fi
  stamp "$venv/.milo/home" "$venv"
}

create_environment() {
  rm -rf -- "$venv"
  if [ "$mode" = installed ]; then
    "$base_python" -m venv --system-site-packages "$venv"
  else
    "$base_python" -m venv "$venv"
  fi
}

# --- requirements -------------------------------------------------------------------------------------------------

install_layers() {
  local layer build= begin=
  if [ "$mode" = wheels ]; then install_layer ros "ROS 2 wheels"; else install_colcon; fi
  # The compiler works while the other packages are being fetched, unless packages it uses have to be put in anew.
  if ! workspace_ready && [ ! -f "$venv/.milo/installing" ]; then start_build; fi
  for layer in "$@"; do install_layer "$layer" "Python packages: $layer"; done
  [ -n "$build" ] || workspace_ready || start_build
  if [ -n "$build" ]; then
    finish_job "$build" || fail "Workspace build" "$build_log"
    report "Workspace build" "$begin"
  fi
  stage "Check and environment file" finish_workspace
}

# Sets build and begin of the caller.
start_build() {
  begin=$(now)
  : >"$build_log"
  start_job "$build_log" build_from_any_state
  build=$job
}

install_layer() { # install_layer LAYER TITLE
  layer_ready "$1" && return
  local wanted
  wanted=$(layer_digest "$1")
  stage "$2" install_requirements "$1"
  stamp "$(layer_stamp "$1")" "$wanted"
  rm -f -- "$venv/.milo/installing"
}

install_colcon() {
  "$python" -c 'import colcon_core, colcon_ros' 2>/dev/null ||
    stage "colcon" pip_install colcon-common-extensions
}

pip_install() { "$python" -m pip install "$@"; }

install_requirements() {
  local again=() file
  file=$(requirements_of "$1")
  # A package whose installation was cut off looks installed: put this layer's packages in anew.
  [ ! -f "$venv/.milo/installing" ] || again=(again)
  mkdir -p -- "$venv/.milo"
  : >"$venv/.milo/installing"
  case $file in
    *.txt) install_locked "$file" ${again[@]+"${again[@]}"} ;;
    *) install_ranges "$file" ${again[@]+"${again[@]}"} ;;
  esac
  [ "$1" != ros ] || _ROS_WHEELS_BOOTSTRAP_COMPLETE=1 "$python" "$root/tools/bootstrap/relocate.py"
}

find_uv() {
  local found
  for found in "$(command -v uv || true)" "$venv/bin/uv"; do
    if [ -n "$found" ] && "$found" --version >/dev/null 2>&1; then
      uv=$found
      return
    fi
  done
  pip_install --quiet --require-hashes -r "$root/requirements/uv.txt" || return 1
  uv=$venv/bin/uv
}

# Exactly the locked files. uv first (three times as fast), pip when uv cannot: a mirror may be known to pip only.
install_locked() { # install_locked FILE [again]
  if find_uv; then
    [ -z "${PIP_INDEX_URL:-}" ] || export UV_DEFAULT_INDEX=${UV_DEFAULT_INDEX:-$PIP_INDEX_URL}
    # A proxy's certificate is known to the system, not to uv.
    export UV_SYSTEM_CERTS=${UV_SYSTEM_CERTS:-true}
    "$uv" pip install --python "$python" --require-hashes ${2:+--reinstall} -r "$1" && return
    printf 'uv failed, trying pip\n'
  fi
  pip_install --require-hashes ${2:+--force-reinstall} -r "$1"
}

# Version ranges, held to what the locked layers (or the distribution) have. By pip, because pip's configuration may
# name an index with CPU builds of torch, which uv does not read.
install_ranges() { # install_ranges FILE [again]
  local held=$venv/.milo/constraints.txt
  constraints >"$held"
  pip_install ${2:+--force-reinstall} --constraint "$held" -r "$1"
}

constraints() {
  if [ "$mode" = wheels ]; then
    sed -nE 's/^([A-Za-z0-9._-]+==[^ ]+) \\$/\1/p' "$root"/requirements/{ros,core,test}.txt | sort -u
  else
    # rclpy and the message packages are compiled against this numpy.
    "$base_python" -c 'import numpy; print(f"numpy=={numpy.__version__}")'
  fi
}

# --- workspace ----------------------------------------------------------------------------------------------------

# A build that was cut off, or one made for another ROS 2 or without --symlink-install, can leave folders that colcon
# trips over. Then, and only then, start from nothing.
build_from_any_state() {
  local unfinished=$state/building kind="$mode $distro $root"
  if [ -d "$root/build" ] && ! stamped "$root/build/.milo-kind" "$kind"; then
    printf 'build/ was made in another way: starting from nothing\n'
    : >"$unfinished"
    rm -rf -- "$root/build" "$root/install"
  fi
  local resumed=
  [ ! -f "$unfinished" ] || resumed=1
  : >"$unfinished"
  mkdir -p -- "$root/build"
  stamp "$root/build/.milo-kind" "$kind"
  if ! build_workspace; then
    [ -n "$resumed" ] || return 1
    printf 'the build left by an interrupted set-up cannot be continued: starting from nothing\n'
    rm -rf -- "$root/build" "$root/install"
    mkdir -p -- "$root/build"
    stamp "$root/build/.milo-kind" "$kind"
    build_workspace || return 1
  fi
  rm -f -- "$unfinished"
}

finish_workspace() {
  local wanted
  wanted=$(workspace_digest)
  write_environment "$wanted"
  (
    unset MILO_ENVIRONMENT # where it is entered already, env.sh would change nothing
    . "$state/env.sh"
    "$python" -c 'import rclpy, milo_msgs.msg, milo_core, milo_sim'
  )
  stamp "$workspace_stamp" "$wanted"
}

# Ask the generated set-up scripts once, in a clean shell, and keep their answer: sourcing them takes a second.
write_environment() { # write_environment DIGEST
  local underlay=: name value
  [ "$mode" = installed ] || underlay=". '$venv/local_setup.bash'"
  {
    printf '# Written by ./milo setup. The environment of every MILO process; a shell may source it too.\n'
    printf 'if [ "${MILO_ENVIRONMENT:-}" != %q ]; then\n' "$1"
    env -i HOME="${HOME:-/}" PATH=/usr/bin:/bin bash -c "$underlay; . '$root/install/local_setup.bash'
      for name in AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH LD_LIBRARY_PATH PATH; do
        printf '%s %s\n' \$name \"\${!name:-}\"
      done" | while read -r name value; do own_entries "$name" "$value"; done
    if [ "$mode" = wheels ]; then
      printf '  export ROS_VERSION=2 ROS_PYTHON_VERSION=3 ROS_DISTRO=%q RMW_IMPLEMENTATION=rmw_fastrtps_cpp\n' "$distro"
      printf '  unset _ROS_WHEELS_BOOTSTRAP_COMPLETE PYTHONHOME\n'
    fi
    printf '  export VIRTUAL_ENV=%q MILO_ROOT=%q MILO_ENVIRONMENT=%q\n' "$venv" "$root" "$1"
    printf '  # Wrong field types are an error, not a crash or a silent change.\n'
    printf '  export ROS_PYTHON_CHECK_FIELDS="${ROS_PYTHON_CHECK_FIELDS:-1}"\n'
    printf '  # Nothing leaves this machine unless asked to.\n'
    printf '  export ROS_AUTOMATIC_DISCOVERY_RANGE="${ROS_AUTOMATIC_DISCOVERY_RANGE:-LOCALHOST}"\n'
    printf '  export FASTDDS_DEFAULT_PROFILES_FILE="${FASTDDS_DEFAULT_PROFILES_FILE:-%s}"\n' \
      "$root/src/milo_benchmark/config/fastdds.xml"
    printf 'fi\n'
  } >"$state/env.sh.new"
  mv -f -- "$state/env.sh.new" "$state/env.sh"
}

# The entries of a search path that lie in this checkout, as a line of the environment file. What belongs to ROS 2 alone
# is replaced when the wheels are used: another ROS 2 in it would be mixed in.
own_entries() { # own_entries NAME VALUE
  local entry entries own=
  IFS=: read -r -a entries <<<"$2"
  [ "$1" != PATH ] || entries=("$venv/bin" ${entries[@]+"${entries[@]}"})
  for entry in ${entries[@]+"${entries[@]}"}; do
    [[ $entry != "$root"/* || :$own: == *":$entry:"* ]] || own=${own:+$own:}$entry
  done
  [ -n "$own" ] || return 0
  case $mode:$1 in
    wheels:PATH | wheels:LD_LIBRARY_PATH | installed:*) printf '  export %s=%q"${%s:+:$%s}"\n' "$1" "$own" "$1" "$1" ;;
    *) printf '  export %s=%q\n' "$1" "$own" ;;
  esac
}
