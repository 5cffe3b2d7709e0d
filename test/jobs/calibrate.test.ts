import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { CalibrationReader, calibrationRequest } from '../../src/profile/calibration';
import { DEVICE, TORCH } from './stubTorch';

const PYTHON = process.platform === 'win32' ? 'python' : 'python3';

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
