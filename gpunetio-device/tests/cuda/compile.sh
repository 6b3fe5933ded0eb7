#!/usr/bin/env bash
# Compiles the device headers and the perf kernels as CUDA: with nvcc for four architectures, warnings as errors, and with NVRTC
# with our include directory and nothing else. Needs no GPU.
#
#   compile.sh <CUDA toolkit directory>
#
# The directory is what `pip install 'cuda-toolkit[nvcc,crt,nvvm,cudart,cccl,nvrtc]==13.0.*'` leaves in
# <venv>/lib/python3.*/site-packages/nvidia/cu13, or an installed toolkit.
set -euo pipefail
cuda=${1:?usage: compile.sh <CUDA toolkit directory>}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../../.." && pwd)
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

passed=0
for source in "$here/api.cu" "$root/gpunetio-cli/kernels/perf.cu"; do
    for arch in sm_80 sm_90 sm_100 sm_120; do
        "$cuda/bin/nvcc" -std=c++17 -arch=$arch -cubin -Werror all-warnings -I "$root/include" -o "$out/$arch.cubin" "$source"
        echo "nvcc $arch $(basename "$source"): ok"
        passed=$((passed + 1))
    done
    for arch in compute_80 sm_90; do
        python3 "$here/nvrtc.py" "$cuda" "$source" $arch "$root/include" "$root/gpunetio-cli/kernels"
        passed=$((passed + 1))
    done
done
echo "$passed passed, 0 failed"
