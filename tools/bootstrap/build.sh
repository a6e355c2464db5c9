# shellcheck shell=bash
# Builds the workspace (msg/ and src/) with colcon, in the environment that ./milo setup made.

# Whether the ROS 2 underneath has a package.
has_package() { # has_package NAME
  local prefix prefixes
  IFS=: read -r -a prefixes <<<"${AMENT_PREFIX_PATH:-}"
  for prefix in ${prefixes[@]+"${prefixes[@]}"}; do
    [ "$prefix" != "$root"/install/"$1" ] && [ -f "$prefix/share/$1/package.xml" ] && return
  done
  return 1
}

build_workspace() (
  cd -- "$root"
  if [ "$mode" = wheels ]; then
    unset AMENT_PREFIX_PATH CMAKE_PREFIX_PATH COLCON_PREFIX_PATH PYTHONPATH
    set +u
    . "$venv/setup.bash"
    set -u
    # Without rclcpp nobody can use the C++ code of the interfaces, and it is half of the build time.
    cmake_args=(-GNinja -DMILO_MSGS_CPP=OFF)
  else
    cmake_args=()
    export PATH=$venv/bin:$PATH
    ! command -v ninja >/dev/null || cmake_args+=(-GNinja)
  fi
  cmake_args+=(-DBUILD_TESTING=OFF)
  # Standard interface packages that this ROS 2 lacks; where it has them, its own are used.
  paths=(msg src)
  for package in msg/standard/*/; do
    package=${package%/}
    has_package "${package##*/}" || paths+=("$package")
  done
  if command -v ccache >/dev/null; then
    cmake_args+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  fi
  # Else colcon adds -l<cores>, which builds one file at a time on a busy machine.
  MAKEFLAGS=-j$(nproc)
  export MAKEFLAGS
  # Own defaults, so that somebody's ~/.colcon does not change the layout.
  export COLCON_HOME=$state/colcon
  # Run by the environment's Python, so that the installed executables start with it too.
  "$python" -c 'import sys; from colcon_core.command import main; sys.exit(main())' \
    --log-base log build --base-paths "${paths[@]}" --symlink-install \
    --event-handlers console_cohesion+ console_stderr- desktop_notification- status- terminal_title- \
    --cmake-args "${cmake_args[@]}"
)
