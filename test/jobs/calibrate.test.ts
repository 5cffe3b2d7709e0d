import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CalibrationReader, calibrationRequest } from '../../src/profile/calibration';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';

/** A torch that computes nothing and moves the clock by what a GPU of 100 TFLOP/s in bf16, 10 in fp32 and 1 TB/s takes. */
const TORCH = `import time
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

const DEVICE = `class Device:
    kind = "cpu"
    def name(self):
        return "NVIDIA H100 80GB HBM3"
    def room(self):
        return 8 * 2**30, 80 * 2**30
    def wait(self):
        import torch
        assert max(torch.held) <= 2**30 // 2, "it takes at most an eighth of the free memory"
`;

describe('a calibration', function () {
  this.timeout(60_000);
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-calibrate-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function calibrated(device: string | null, torch: string | null) {
    if (torch !== null) {
      writeFileSync(join(folder, 'torch.py'), torch);
      mkdirSync(join(folder, 'torch-2.6.0.dist-info'));
      writeFileSync(join(folder, 'torch-2.6.0.dist-info/METADATA'), 'Name: torch\nVersion: 2.6.0\n');
    }
    if (device !== null) writeFileSync(join(folder, 'device.py'), device);
    const request = join(folder, 'request.json');
    writeFileSync(request, JSON.stringify(calibrationRequest(device === null ? null : 'device.py')));
    const run = spawnSync(PYTHON, ['-S', resolve('src/python/start.py'), request], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' },
    });
    const said: string[] = [];
    const reader = new CalibrationReader(text => said.push(text));
    reader.push(run.stdout);
    return { reader, said, err: run.stderr };
  }

  it('says what products and copies reach, in an eighth of the free memory', () => {
    const { reader, said, err } = calibrated(DEVICE, TORCH);
    const { found } = reader;
    assert.ok(found, err);
    assert.equal(found.gpu, 'NVIDIA H100 80GB HBM3');
    assert.ok(Math.abs(found.flops.half / 100e12 - 1) < 0.01, String(found.flops.half));
    assert.ok(Math.abs(found.flops.fp32 / 10e12 - 1) < 0.01);
    assert.ok(Math.abs(found.bytesPerSecond / 1e12 - 1) < 0.01);
    assert.ok(found.steady > 0.99);
    assert.deepEqual(said, ['Products of matrices in bfloat16', 'Products of matrices in float32', 'Copies']);
  });

  it('says in a sentence that there is no GPU, or no torch', () => {
    const cuda = `${TORCH}\nclass cuda:\n    is_available = staticmethod(lambda: False)\n`;
    assert.match(calibrated(null, cuda).reader.problem?.message ?? '', /^there is no CUDA GPU here/);
  });

  it('names torch where it is missing', () => {
    assert.match(calibrated(DEVICE, null).reader.problem?.message ?? '', /torch/);
  });
});
