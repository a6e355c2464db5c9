"""An OpenGL context without a screen, through EGL or OSMesa, whichever the machine has.

MuJoCo's own context classes choose their library when they are imported, and through PyOpenGL,
whose import takes longer than a scene needs to load. The few calls that a context takes are made
here directly, so a machine whose EGL finds no device still gets OSMesa.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

_CHOICE = "MUJOCO_GL"
_DEVICE = "MUJOCO_EGL_DEVICE_ID"
_PACKAGES = "libegl1 and libgl1-mesa-dri (or libosmesa6)"

_EGL_NONE = 0x3038
_EGL_OPENGL_API = 0x30A2
_EGL_PLATFORM_DEVICE = 0x313F
_EGL_PLATFORM_SURFACELESS = 0x31DD
_EGL_CONFIG = (
    *(0x3024, 8, 0x3023, 8, 0x3022, 8, 0x3021, 8),  # red, green, blue, alpha bits
    *(0x3025, 24, 0x3026, 8),  # depth, stencil bits
    *(0x3033, 0x0001),  # surface type: pbuffer
    *(0x3040, 0x0008),  # renderable type: OpenGL
    _EGL_NONE,
)
_MAX_DEVICES = 16

_OSMESA_RGBA = 0x1908
_GL_UNSIGNED_BYTE = 0x1401
_OSMESA_SIDE = 16

_GL_RENDERER = 0x1F01
_GL_TEXTURE_2D = 0x0DE1
_GL_TEXTURE_MAG_FILTER, _GL_TEXTURE_MIN_FILTER = 0x2800, 0x2801
_GL_NEAREST, _GL_LINEAR, _GL_LINEAR_MIPMAP_NEAREST = 0x2600, 0x2601, 0x2701


class RenderingUnavailable(RuntimeError):
    """Images cannot be made on this machine; the message is one sentence that says the cure."""


class Context(Protocol):
    """An OpenGL context; MuJoCo draws into a buffer of its own inside it."""

    def make_current(self) -> None:
        """Direct the OpenGL calls of this thread to the context."""

    def free(self) -> None:
        """Give the context back; it cannot be used afterwards."""

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """An OpenGL function by name, with the C types of its result and arguments."""


def create_context() -> Context:
    """Make an offscreen context and make it current.

    ``MUJOCO_GL=egl`` or ``osmesa`` allows only that library; any other value, or none, means the
    first that works. ``MUJOCO_EGL_DEVICE_ID`` picks one of EGL's devices by number.

    Raises:
        RenderingUnavailable: Neither library works here.
    """
    makers: dict[str, Callable[[], Context]] = {"egl": _EglContext, "osmesa": _OsMesaContext}
    wanted = os.environ.get(_CHOICE, "").strip().lower()
    problems = []
    for name, make in makers.items():
        if wanted in makers and name != wanted:
            continue
        try:
            context = make()
        except (OSError, AttributeError, ValueError, RuntimeError) as error:
            problems.append(f"{name}: {error}")
            continue
        # MuJoCo looks its OpenGL functions up in the library that this variable names.
        os.environ[_CHOICE] = name
        return context
    raise RenderingUnavailable(
        f"milo_sim cannot make images on this machine ({'; '.join(problems)}): install the"
        f" packages {_PACKAGES}, or create the Controller with headless=True."
    )


def import_mujoco() -> Any:
    """MuJoCo, imported without its own OpenGL context, which needs PyOpenGL and time.

    Raises:
        RenderingUnavailable: MuJoCo is not installed.
    """
    with _environment(_CHOICE, "off"):
        try:
            import mujoco
        except ImportError as error:
            raise RenderingUnavailable(
                f"milo_sim needs the Python package mujoco to make images ({error}): install it"
                " with pip, or create the Controller with headless=True."
            ) from error
    return mujoco


def renderer_name(context: Context) -> str:
    """What draws, as OpenGL names it, for example ``llvmpipe (LLVM 15.0.6, 256 bits)``."""
    context.make_current()
    name = context.function("glGetString", ctypes.c_char_p, ctypes.c_uint)(_GL_RENDERER)
    return name.decode() if name else "unknown"


def set_filter(context: Context, texture: int, smooth: bool) -> None:
    """Let a two-dimensional texture of the current context be drawn without blurring.

    ``smooth`` blends neighbouring points, as pictures want it; otherwise each point keeps its
    exact colour. Both are much faster in software than the blending of sizes that MuJoCo sets.
    """
    bind = context.function("glBindTexture", None, ctypes.c_uint, ctypes.c_uint)
    set_parameter = context.function(
        "glTexParameteri", None, ctypes.c_uint, ctypes.c_uint, ctypes.c_int
    )
    bind(_GL_TEXTURE_2D, texture)
    smaller = _GL_LINEAR_MIPMAP_NEAREST if smooth else _GL_NEAREST
    set_parameter(_GL_TEXTURE_2D, _GL_TEXTURE_MIN_FILTER, smaller)
    larger = _GL_LINEAR if smooth else _GL_NEAREST
    set_parameter(_GL_TEXTURE_2D, _GL_TEXTURE_MAG_FILTER, larger)


@contextmanager
def _environment(name: str, value: str) -> Iterator[None]:
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


class _EglContext:
    """Context on the first EGL device that gives one, else on no device at all."""

    def __init__(self) -> None:
        # Global, because MuJoCo looks for eglGetProcAddress among the loaded symbols.
        self._egl = ctypes.CDLL("libEGL.so.1", mode=ctypes.RTLD_GLOBAL)
        self._egl.eglGetProcAddress.restype = ctypes.c_void_p
        self._egl.eglGetProcAddress.argtypes = [ctypes.c_char_p]
        self._egl.eglCreateContext.restype = ctypes.c_void_p
        for display in self._displays():
            context = self._context_on(display)
            if context:
                self._display = display
                self._context: ctypes.c_void_p | None = context
                self.make_current()
                return
        raise RuntimeError("EGL finds no device that draws without a screen")

    def make_current(self) -> None:
        """Direct the OpenGL calls of this thread to the context."""
        if not self._egl.eglMakeCurrent(self._display, None, None, self._context):
            raise RuntimeError("EGL cannot make its context current")

    def free(self) -> None:
        """Give the context back; it cannot be used afterwards."""
        if self._context:
            self._egl.eglMakeCurrent(self._display, None, None, None)
            self._egl.eglDestroyContext(self._display, self._context)
            self._context = None

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """An OpenGL function by name, with the C types of its result and arguments."""
        return ctypes.CFUNCTYPE(result, *arguments)(self._address(name))

    def _address(self, name: str) -> int:
        address = self._egl.eglGetProcAddress(name.encode())
        if not address:
            raise RuntimeError(f"EGL has no {name}")
        return int(address)

    def _displays(self) -> Iterator[ctypes.c_void_p]:
        get_display = ctypes.CFUNCTYPE(
            ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p
        )(self._address("eglGetPlatformDisplayEXT"))
        for device in self._devices():
            if display := get_display(_EGL_PLATFORM_DEVICE, device, None):
                yield ctypes.c_void_p(display)
        if display := get_display(_EGL_PLATFORM_SURFACELESS, None, None):
            yield ctypes.c_void_p(display)

    def _devices(self) -> list[int]:
        query = ctypes.CFUNCTYPE(
            ctypes.c_uint, ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.c_int)
        )(self._address("eglQueryDevicesEXT"))
        found = (ctypes.c_void_p * _MAX_DEVICES)()
        count = ctypes.c_int()
        if not query(_MAX_DEVICES, found, ctypes.byref(count)):
            return []
        devices = [int(device or 0) for device in found[: count.value]]
        chosen = os.environ.get(_DEVICE)
        if chosen is None:
            return devices
        if not chosen.isdecimal() or int(chosen) >= len(devices):
            raise ValueError(f"{_DEVICE}={chosen} is not one of EGL's {len(devices)} devices")
        return [devices[int(chosen)]]

    def _context_on(self, display: ctypes.c_void_p) -> ctypes.c_void_p | None:
        egl = self._egl
        if not egl.eglInitialize(display, None, None):
            return None
        config, count = ctypes.c_void_p(), ctypes.c_int()
        wanted = (ctypes.c_int * len(_EGL_CONFIG))(*_EGL_CONFIG)
        if not egl.eglChooseConfig(
            display, wanted, ctypes.byref(config), 1, ctypes.byref(count)
        ) or not (count.value and egl.eglBindAPI(_EGL_OPENGL_API)):
            return None
        context = egl.eglCreateContext(display, config, None, None)
        return ctypes.c_void_p(context) if context else None


class _OsMesaContext:
    """Context in plain memory."""

    def __init__(self) -> None:
        self._mesa = self._library()
        self._mesa.OSMesaCreateContextExt.restype = ctypes.c_void_p
        self._mesa.OSMesaGetProcAddress.restype = ctypes.c_void_p
        self._buffer = (ctypes.c_ubyte * (4 * _OSMESA_SIDE**2))()
        context = self._mesa.OSMesaCreateContextExt(_OSMESA_RGBA, 24, 8, 0, None)
        if not context:
            raise RuntimeError("OSMesa makes no context")
        self._context: ctypes.c_void_p | None = ctypes.c_void_p(context)
        self.make_current()

    @staticmethod
    def _library() -> ctypes.CDLL:
        for name in ("libOSMesa.so.8", "libOSMesa.so.6", "libOSMesa.so"):
            try:
                return ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
            except OSError as error:
                problem = error
        raise problem

    def make_current(self) -> None:
        """Direct the OpenGL calls of this thread to the context."""
        if not self._mesa.OSMesaMakeCurrent(
            self._context, self._buffer, _GL_UNSIGNED_BYTE, _OSMESA_SIDE, _OSMESA_SIDE
        ):
            raise RuntimeError("OSMesa cannot make its context current")

    def free(self) -> None:
        """Give the context back; it cannot be used afterwards."""
        if self._context:
            self._mesa.OSMesaMakeCurrent(None, None, _GL_UNSIGNED_BYTE, 0, 0)
            self._mesa.OSMesaDestroyContext(self._context)
            self._context = None

    def function(self, name: str, result: Any, *arguments: Any) -> Any:
        """An OpenGL function by name, with the C types of its result and arguments."""
        address = self._mesa.OSMesaGetProcAddress(name.encode())
        return ctypes.CFUNCTYPE(result, *arguments)(address)
