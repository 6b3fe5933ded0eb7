"""Compiles one CUDA source with NVRTC: nvrtc.py <toolkit directory> <source> <architecture> <include directory>...

Only the include directories given are searched; the toolkit's own are not.
"""

import ctypes
import glob
import os
import sys

toolkit, source, arch, *includes = sys.argv[1:]


def library(pattern):
    for folder in ("lib", "lib64"):
        found = sorted(glob.glob(os.path.join(toolkit, folder, pattern)))
        if found:
            return ctypes.CDLL(found[0], mode=ctypes.RTLD_GLOBAL)
    sys.exit(f"nvrtc: no {pattern} in {toolkit}/lib or lib64")


# The builtins library is found by soname; loading it first by path makes LD_LIBRARY_PATH unnecessary.
library("libnvrtc-builtins.so.*")
nvrtc = library("libnvrtc.so.[0-9]*")

with open(source, "rb") as file:
    text = file.read()
program = ctypes.c_void_p()
name = os.path.basename(source).encode()
if nvrtc.nvrtcCreateProgram(ctypes.byref(program), text, name, 0, None, None) != 0:
    sys.exit("nvrtc: cannot create a program")
options = [b"--std=c++17", b"--gpu-architecture=" + arch.encode()] + [b"-I" + os.path.abspath(i).encode() for i in includes]
status = nvrtc.nvrtcCompileProgram(program, len(options), (ctypes.c_char_p * len(options))(*options))
size = ctypes.c_size_t()
nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
log = ctypes.create_string_buffer(size.value)
nvrtc.nvrtcGetProgramLog(program, log)
report = log.value.decode().strip()
if status != 0 or "warning" in report:
    sys.exit(f"nvrtc {arch} {name.decode()}: status {status}\n{report}")
print(f"nvrtc {arch} {name.decode()}: ok")
