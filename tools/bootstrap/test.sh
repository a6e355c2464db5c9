# shellcheck shell=bash
# ./milo test [unit] [--all] [pytest arguments]: what continuous integration runs, and nothing else.

test_command() {
  local paths=() marker=(-m "not slow") arguments=() argument lint=0 tests=0
  for argument in "$@"; do
    case $argument in
      unit) for argument in "$root"/src/*/test; do paths+=("$argument"); done ;;
      --all) marker=() ;;
      *) arguments+=("$argument") ;;
    esac
  done
  ensure core test
  enter
  clean_shared_memory
  trap clean_shared_memory EXIT
  (cd -- "$root" && check_sources) || lint=$?
  # launch_testing of an installed ROS 2 does not load in pytest 9; nothing here uses it.
  # Two workers: one for the graph tests, one for the rest (conftest.py says what stays together).
  "$python" -m pytest --rootdir "$root" -c "$root/pyproject.toml" -p no:launch_testing -p no:launch_pytest \
    -n 2 --dist loadscope \
    ${marker[@]+"${marker[@]}"} ${paths[@]+"${paths[@]}"} ${arguments[@]+"${arguments[@]}"} || tests=$?
  [ $tests -eq 0 ] || exit $tests
  exit $lint
}

# Lint, format and types; all three run, each says what is wrong.
check_sources() {
  local failed=0 packages=(tools/bootstrap/*.py) package
  for package in src/*/setup.py; do
    package=${package%/setup.py}
    packages+=("$package/${package#src/}")
  done
  check "ruff check" "$python" -m ruff check --quiet --output-format concise . || failed=1
  check "ruff format" "$python" -m ruff format --quiet --check --output-format concise . || failed=1
  check "mypy" "$python" -m mypy --no-error-summary "${packages[@]}" || failed=1
  return $failed
}

check() { # check TITLE COMMAND...
  local title=$1 begin=$SECONDS output
  shift
  if output=$("$@" 2>&1); then
    say "$title: ok ($((SECONDS - begin)) s)"
  else
    printf '%s\n' "$output" >&2
    say "$title: FAILED (./milo test fails because of it, whatever the tests say)"
    return 1
  fi
}

# Shared memory of killed ROS 2 processes; that of living ones stays.
clean_shared_memory() {
  ! command -v fastdds >/dev/null || fastdds shm clean >/dev/null 2>&1 || true
}
