"""Makes fake CUDA tensors differentiable on a machine without a GPU. It is not needed if CUDA works."""

import ctypes
import hashlib
import os
import shutil
import subprocess

import torch

from .protocol import Refusal

# Autograd asks the device's guard for streams and events. Without a driver there is none; this one does nothing.
# Two of its methods came with 2.4: they override nothing before it.
GUARD = r"""
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <cstring>
using namespace c10; using namespace c10::impl;
static Device here() { return Device(DeviceType::CUDA, 0); }
static Stream stream() { return Stream(Stream::DEFAULT, here()); }
struct Guard final : DeviceGuardImplInterface {
  DeviceType type() const override { return DeviceType::CUDA; }
  Device exchangeDevice(Device) const override { return here(); }
  Device getDevice() const override { return here(); }
  void setDevice(Device) const override {}
  void uncheckedSetDevice(Device) const noexcept override {}
  Stream getStream(Device) const noexcept override { return stream(); }
  Stream getDefaultStream(Device) const override { return stream(); }
  Stream getNewStream(Device, int) const { return stream(); }
  Stream exchangeStream(Stream) const noexcept override { return stream(); }
  DeviceIndex deviceCount() const noexcept override { return 1; }
  void record(void**, const Stream&, const DeviceIndex, const EventFlag) const override {}
  void block(void*, const Stream&) const override {}
  bool queryEvent(void*) const override { return true; }
  void destroyEvent(void*, const DeviceIndex) const noexcept override {}
  bool queryStream(const Stream&) const override { return true; }
  void synchronizeStream(const Stream&) const override {}
  void synchronizeEvent(void*) const {}
  void recordDataPtrOnStream(const DataPtr&, const Stream&) const override {}
};
extern "C" void install() { device_guard_impl_registry[(size_t)DeviceType::CUDA].store(new Guard()); }
// The place of a virtual function in its table: a pointer to it has that, in the ABI of GCC and Clang.
template <class Function> static size_t slot(Function function) {
  size_t words[2];
  static_assert(sizeof function == sizeof words);
  std::memcpy(words, &function, sizeof words);
  return words[0] / sizeof(void*);  // x86 adds 1 to it, ARM does not
}
extern "C" size_t context_slot() { return slot(&at::CUDAHooksInterface::hasPrimaryContext); }
extern "C" size_t cuda_slot() { return slot(&at::CUDAHooksInterface::hasCUDA); }
"""

COMPILERS = ("c++", "g++", "clang++")
_installed = False
_kept = []


def install(folder):
    """Runs once per process. `folder` stores the compiled guard of each build of torch."""
    global _installed
    if _installed:
        return
    _installed = True
    import torch.cuda.amp.common as common

    # Autocast turns itself off without CUDA.
    common.amp_definitely_not_available = lambda: False
    torch.cuda.is_bf16_supported = lambda *args, **kwargs: True
    if torch.cuda.is_available():
        return
    # The properties of an A100, for code that reads them.
    torch.cuda.get_device_capability = lambda *args, **kwargs: (8, 0)
    compiled = ctypes.CDLL(_compiled(folder))
    compiled.install()
    if torch.version.cuda:
        # Before 2.4 autograd keeps the streams, which it needs in the end, only if there is CUDA.
        _yes([compiled.context_slot(), *([compiled.cuda_slot()] if _release() < (2, 4) else [])])
    torch.autograd.set_multithreading_enabled(False)


def _compiled(folder):
    root = os.path.dirname(torch.__file__)
    digest = hashlib.sha256((GUARD + torch.__version__ + root).encode()).hexdigest()[:16]
    out = os.path.join(folder, f"guard-{digest}.so")
    if os.path.exists(out):
        return out
    compiler = next((found for found in map(shutil.which, COMPILERS) if found), None)
    if compiler is None or os.name == "nt":
        raise Refusal(
            "compiler",
            "there is no CUDA GPU here, and without one a dry run needs a C++ compiler once (g++ or clang++)",
        )
    os.makedirs(folder, exist_ok=True)
    temporary = f"{out}.{os.getpid()}"
    source = f"{temporary}.cpp"
    with open(source, "w", encoding="utf-8") as file:
        file.write(GUARD)
    standard = "-std=c++20" if _release() >= (2, 10) else "-std=c++17"
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}"
    command = [compiler, standard, abi, "-O1", "-shared", "-fPIC", f"-I{root}/include", source]
    try:
        ended = subprocess.run(
            [*command, "-o", temporary, f"-L{root}/lib", "-lc10"], capture_output=True, text=True, timeout=120, check=False
        )
    finally:
        os.remove(source)
    if ended.returncode != 0:
        said = (ended.stderr.strip().splitlines() or ["it said nothing"])[0]
        raise Refusal("compiler", f"{compiler} could not compile the device guard for torch {torch.__version__}: {said}")
    os.replace(temporary, out)
    return out


def _release():
    from .environment import release

    return release(torch.__version__)


def _yes(slots):
    """Virtual functions of CUDAHooks that throw, or say no, without a device: hasPrimaryContext has to say yes."""
    root = os.path.dirname(torch.__file__)
    library = ctypes.CDLL(os.path.join(root, "lib", "libtorch_cpu.so"))
    hooks = library._ZN2at6detail12getCUDAHooksEv
    hooks.restype = ctypes.c_void_p
    answer = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_int8)(lambda *_: True)
    table = ctypes.c_void_p.from_address(hooks())
    # The functions of the virtual table, after the two words with which a C++ table begins.
    length = 128
    old = (ctypes.c_void_p * (length + 2)).from_address(table.value - 16)
    new = (ctypes.c_void_p * (length + 2))(*old)
    for slot in slots:
        new[2 + slot] = ctypes.cast(answer, ctypes.c_void_p).value
    for kept in (answer, new):
        # They are called until the interpreter ends.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))
    table.value = ctypes.addressof(new) + 16
