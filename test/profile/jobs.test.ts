import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openJobs } from '../../src/jobs/openJobs';
import { interpreter } from './python';

const CLI = resolve('dist/cli.js');

/** A custom training and its description: `rows` per step, `steps`, and how it should end. */
const TRAIN = `import re, sys
import torch
from torch import nn

def number(name):
    return int(re.search(name + r": (\\d+)", open(sys.argv[1]).read())[1])

class Full(torch.autograd.Function):
    """What CUDA's allocator says, from where it says it: there is no GPU here."""
    @staticmethod
    def forward(context, x):
        return x.clone()
    @staticmethod
    def backward(context, gradient):
        raise torch.cuda.OutOfMemoryError(
            "CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 0.31 GiB is free. "
            "Including non-PyTorch memory, this process has 23.33 GiB memory in use. Of the allocated memory 22.60 GiB is allocated "
            "by PyTorch, and 0.12 GiB is reserved by PyTorch but unallocated.")

torch.manual_seed(0)
rows, steps, full = number("rows"), number("steps"), number("full_at")
model = nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
x = torch.randn(256, 32); y = x.sum(1, keepdim=True)
for step in range(1, steps + 1):
    batch = torch.zeros(rows, 32); batch[:256] = x
    out = model(batch)[:256]
    loss = nn.functional.mse_loss(Full.apply(out) if step == full else out, y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    print(f"step {step}/{steps} loss {loss.item():.4f}")
`;

const DIALECT = `id: own-training
title: A training of our own
recognise:
  strong: [net.rows, net.steps]
  least: 4
quantities:
  microBatchSize: { keys: net.rows }
  method: { always: full, source: train.py }
launch:
  argv: [PYTHON, train.py, '{config}']
`;

/** Sixteen terabytes per step: more than any machine has. */
const TOO_MANY = 2 ** 37;

describe('a training with torch, as a job @ci', function () {
  let work: string;

  beforeEach(() => {
    work = mkdtempSync(join(tmpdir(), 'headroom-torch-'));
    mkdirSync(join(work, '.headroom/dialects'), { recursive: true });
    const dialect = DIALECT.replace('PYTHON', JSON.stringify(interpreter().executable));
    writeFileSync(join(work, '.headroom/dialects/own.yaml'), dialect);
    writeFileSync(join(work, 'train.py'), TRAIN);
  });

  afterEach(() => {
    headroom('stop', 'last');
    rmSync(work, { recursive: true, force: true });
  });

  function headroom(...args: readonly string[]) {
    const env = { ...process.env, HEADROOM_STATE: join(work, 'state'), NO_COLOR: '1' };
    const ran = spawnSync(process.execPath, [CLI, ...args], {
      cwd: work,
      env,
      encoding: 'utf8',
      timeout: 120_000,
    });
    return { code: ran.status, out: ran.stdout, err: ran.stderr };
  }

  function run(rows: number, steps: number, fullAt: number, ...more: readonly string[]) {
    const config = `net:\n  rows: ${rows}\n  steps: ${steps}\n  full_at: ${fullAt}\n`;
    writeFileSync(join(work, 'own.yaml'), config);
    return headroom('run', 'own.yaml', '--force', ...more);
  }

  it('learns, prints its steps, and succeeds', () => {
    const { code, out, err } = run(256, 40, 0);
    assert.equal(code, 0, err);
    const losses = [...out.matchAll(/loss ([\d.]+)/g)].map(([, loss]) => Number(loss));
    assert.equal(losses.length, 40);
    assert.ok((losses.at(-1) ?? 9) < (losses[0] ?? 0));
    assert.match(err, /succeeded/);
  });

  it('says that it ran out of host memory, not GPU memory', () => {
    const { code, out, err } = run(TOO_MANY, 5, 0);
    assert.equal(code, 1);
    assert.match(out + err, /DefaultCPUAllocator: can't allocate memory/);
    assert.match(err, /failed · code 1 .*The machine ran out of RAM, not of GPU memory/);
  });

  it("says that it ran out of GPU memory in the backward pass, with torch's amounts", () => {
    const { code, err } = run(256, 5, 3);
    assert.equal(code, 1);
    assert.match(err, /failed · code 1 .*2\.0 GB requested, 317 MB of 23\.\d GB free.*in the backward pass/);
  });

  it('is followed step by step, and stopped', async () => {
    const { out: id } = run(256, 1_000_000, 0, '--detach');
    const jobs = openJobs({
      state: join(work, 'state'),
      keeper: resolve('dist/keeper.js'),
      executables: {},
      ssh: {},
    });
    const seen = await new Promise<{ readonly step: number | null; readonly loss: number | null }>(done => {
      const end = jobs.follow(id.trim(), ({ progress }) => {
        if ((progress?.step ?? 0) < 3) return;
        end();
        done({ step: progress?.step ?? null, loss: progress?.loss ?? null });
      });
    });
    jobs.dispose();
    // Its task is easy: after a thousand steps, its loss is printed as 0.
    assert.ok((seen.step ?? 0) >= 3 && seen.loss !== null, JSON.stringify(seen));
    const stopped = headroom('stop', 'last');
    assert.equal(stopped.code, 0, stopped.err);
    const { out } = headroom('jobs', '--all', '--json');
    const [job] = (JSON.parse(out) as { jobs: { state: string; exit: { signal: string | null } }[] }).jobs;
    assert.equal(job?.state, 'stopped');
    assert.match(headroom('logs', 'last').out, /KeyboardInterrupt/);
  });
});
