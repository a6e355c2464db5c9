# shellcheck shell=bash
# What a machine must have before anything is installed. Each check prints one line: its name, and what it found or,
# when it fails, the sentence that says how to put it right. The set-up stops at the first failures, the doctor lists all.

wheels_disk_mb=1500
installed_disk_mb=700

# The way out for a machine that the wheels do not run on.
no_wheels() {
  printf '%s: the ROS 2 wheels exist for Linux on x86_64 with glibc 2.28 or newer only; install ROS 2 Jazzy or newer there and source its setup file before ./milo' "$1"
}

check_platform() {
  local system machine libc
  if [ "$mode" = installed ]; then
    printf 'ROS 2 %s in %s' "$distro" "$ros_prefix"
    return
  fi
  system=$(uname -s)
  machine=$(uname -m)
  if [ "$system" != Linux ] || { [ "$machine" != x86_64 ] && [ "$machine" != amd64 ]; }; then
    no_wheels "$system on $machine"
    return 1
  fi
  libc=$(getconf GNU_LIBC_VERSION 2>/dev/null) || libc=
  libc=${libc#glibc }
  case $libc in
    2.2[89]* | 2.[3-9][0-9]* | [3-9].*) ;;
    *)
      no_wheels "$system with ${libc:+glibc }${libc:-a C library other than glibc}"
      return 1
      ;;
  esac
  printf '%s %s, glibc %s%s' "$system" "$machine" "$libc" \
    "${too_old:+ (the sourced ROS 2 $too_old is older than Jazzy and not used)}"
}

# The Python that the virtual environment is made from: that of the sourced ROS 2, or a 3.11.
runs_as() { "$1" -c "import sys; sys.exit(sys.version_info[:2] != ($2))" >/dev/null 2>&1; }

find_python() {
  local candidate
  if [ "$mode" = installed ]; then
    base_python=$(command -v python3) || return 1
    return 0
  fi
  for candidate in "${MILO_PYTHON:-}" python3.11 python3 "${PYENV_ROOT:-${HOME:-}/.pyenv}"/versions/3.11*/bin/python3 \
    "$python"; do
    if [ -n "$candidate" ] && runs_as "$candidate" 3,11; then
      base_python=$(command -v -- "$candidate")
      return 0
    fi
  done
  if command -v uv >/dev/null && candidate=$(uv python find 3.11 2>/dev/null) && runs_as "$candidate" 3,11; then
    base_python=$candidate
    return 0
  fi
  return 1
}

check_python() {
  local version headers
  if ! find_python; then
    if [ "$mode" = installed ]; then
      printf 'python3 is missing: sudo apt-get install python3 python3-venv python3-dev'
    else
      printf 'Python 3.11 is missing: sudo apt-get install python3.11 python3.11-venv python3.11-dev, or uv python install 3.11, or name one in MILO_PYTHON'
    fi
    return 1
  fi
  version=$("$base_python" -c 'import platform; print(platform.python_version())' 2>/dev/null)
  if [ "$mode" = installed ] && ! "$base_python" -c 'import rclpy' 2>/dev/null; then
    printf '%s cannot import rclpy of the sourced ROS 2 %s: leave the virtual or conda environment that hides the system Python' \
      "$base_python" "$distro"
    return 1
  fi
  if ! "$base_python" -c 'import ensurepip, venv' 2>/dev/null; then
    printf 'the venv module of Python %s is missing: sudo apt-get install python%s-venv' "$version" "${version%.*}"
    return 1
  fi
  headers=$("$base_python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])')
  if [ ! -f "$headers/Python.h" ]; then
    printf 'the headers of Python %s are missing: sudo apt-get install python%s-dev' "$version" "${version%.*}"
    return 1
  fi
  printf 'Python %s (%s)' "$version" "$base_python"
}

check_compiler() {
  local missing=()
  command -v g++ >/dev/null || missing+=(g++)
  command -v make >/dev/null || missing+=(make)
  if [ ${#missing[@]} -gt 0 ]; then
    printf '%s missing: sudo apt-get install %s' "${missing[*]}" "${missing[*]}"
    return 1
  fi
  printf 'g++ %s, make' "$(g++ -dumpfullversion -dumpversion)"
}

check_disk() {
  local free needed=$wheels_disk_mb
  [ "$mode" = wheels ] || needed=$installed_disk_mb
  # What is installed already needs no room again.
  [ ! -f "$(layer_stamp core)" ] || needed=100
  free=$(df -Pm -- "$root" | awk 'NR == 2 { print $4 }')
  if [ "$free" -lt "$needed" ]; then
    printf 'only %s MB free in %s, %s MB are needed: make room there' "$free" "$root" "$needed"
    return 1
  fi
  printf '%s MB free' "$free"
}

check_folder() {
  case $root in
    *[[:space:]:\;\'\"\$\\]*)
      printf 'the folder %s has a space or a special character in its path, which the ROS 2 build tools cannot handle: move it' "$root"
      return 1
      ;;
  esac
  if [ ! -w "$root" ]; then
    printf 'the folder %s is not writable: clone the repository into your own folder' "$root"
    return 1
  fi
  printf '%s' "$root"
}

preflight_checks=(platform folder python compiler disk)

# All checks; the failing ones as sentences, and an end.
preflight() {
  local name found failed=0
  for name in "${preflight_checks[@]}"; do
    if ! found=$("check_$name"); then
      printf 'milo: %s\n' "$found" >&2
      failed=1
      # On a wrong platform the other checks say nothing useful.
      [ "$name" = platform ] && break
    fi
  done
  [ $failed -eq 0 ] || exit 1
  find_python
}
