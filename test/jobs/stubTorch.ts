/** A torch that computes nothing and moves the clock by what a GPU of 100 TFLOP/s in bf16, 10 in fp32 and 1 TB/s takes. */
export const TORCH = `import time
float32, bfloat16, float16, uint8 = "torch.float32", "torch.bfloat16", "torch.float16", "torch.uint8"
WIDTHS = {float32: 4, bfloat16: 2, float16: 2, uint8: 1}
RATES = {float32: 10e12, bfloat16: 100e12}
now = [0.0]
time.perf_counter = lambda: now[0]
held = []

class Tensor:
    def __init__(self, count, dtype):
        self.count, self.dtype = count, dtype
        held.append(count * WIDTHS[dtype])
    def element_size(self):
        return WIDTHS[self.dtype]
    def copy_(self, other):
        now[0] += 2 * self.count * WIDTHS[self.dtype] / 1e12

def randn(rows, columns, dtype, device):
    return Tensor(rows * columns, dtype)

def mm(a, b, out=None):
    now[0] += 2 * a.count**1.5 / RATES[a.dtype] + 1e-6
    return out or Tensor(a.count, a.dtype)

def zeros(count, dtype, device):
    return Tensor(count, dtype)

empty_like = lambda tensor: Tensor(tensor.count, tensor.dtype)
`;

/** Its GPU. */
export const DEVICE = `class Device:
    kind = "cpu"
    def name(self):
        return "NVIDIA H100 80GB HBM3"
    def room(self):
        return 8 * 2**30, 80 * 2**30
    def wait(self):
        import torch
        assert max(torch.held) <= 2**30 // 2, "it takes at most an eighth of the free memory"
`;

/** The files of a folder of packages with it, by path. */
export const TORCH_FILES: Readonly<Record<string, string>> = {
  'torch.py': TORCH,
  'torch-2.6.0.dist-info/METADATA': 'Name: torch\nVersion: 2.6.0\n',
};
