import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactedCommand } from '../../../src/core/text/redact';
import { ownersOf, procOwners, readPs, withOwners } from '../../../src/gpu/owners';
import type { GpuProcess } from '../../../src/gpu/sample';

const process_ = (pid: number, name: string | null): GpuProcess => ({
  pid,
  name,
  memoryUsedMiB: 1000,
  type: 'C',
  gpuIndex: 0,
  gpuUuid: null,
  pciBusId: null,
  gpuInstanceId: null,
  computeInstanceId: null,
});

describe('gpu: owners of processes', () => {
  let root = '';
  before(() => {
    root = mkdtempSync(join(tmpdir(), 'headroom-proc-'));
    mkdirSync(join(root, '71'));
    writeFileSync(join(root, '71/status'), 'Name:\tpython3\nUid:\t1000\t1000\t1000\t1000\n');
    writeFileSync(
      join(root, '71/cmdline'),
      'python3\0train.py\0--hf-token\0abc\0WANDB_API_KEY=def\0--lr=1e-4\0',
    );
    writeFileSync(join(root, '71/cgroup'), `0::/system.slice/docker-${'ab'.repeat(32)}.scope\n`);
    writeFileSync(join(root, 'passwd'), 'root:x:0:0::/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n');
  });
  after(() => rmSync(root, { recursive: true }));

  it('come from /proc, with secrets blotted out and the container named', async () => {
    const owners = await procOwners([71, 72], root, join(root, 'passwd'));
    assert.deepEqual(
      [...owners],
      [
        [
          71,
          {
            user: 'ada',
            command: 'python3 train.py --hf-token … WANDB_API_KEY=… --lr=1e-4',
            container: 'abababababab',
          },
        ],
      ],
    );
  });

  it('are not those of another program that has the same number here', async () => {
    const owners = (pids: readonly number[]) => procOwners(pids, root, join(root, 'passwd'));
    const [mine, other, unnamed] = await withOwners(
      [process_(71, '/usr/bin/python3'), process_(71, '/usr/bin/julia'), process_(71, null)],
      owners,
    );
    assert.deepEqual([mine?.user, other?.user, unnamed?.user], ['ada', undefined, undefined]);
  });

  it('come from ps elsewhere', () => {
    const owners = readPs(
      '  501 ada      /usr/bin/python3 train.py --token x\n    1 root     /sbin/launchd\n',
    );
    assert.deepEqual(owners.get(501), {
      user: 'ada',
      command: '/usr/bin/python3 train.py --token …',
      container: null,
    });
    assert.equal(owners.size, 2);
  });

  it('are asked of this very system', async function () {
    if (process.platform !== 'linux') this.skip();
    const owner = (await ownersOf('linux')([process.pid])).get(process.pid);
    assert.match(owner?.command ?? '', /node/);
  });
});

describe('text: command lines that may be shown', () => {
  it('keep their options but not their secrets', () => {
    assert.equal(redactedCommand(['a', '--token', 'x', '--epochs', '3']), 'a --token … --epochs 3');
    assert.equal(redactedCommand(['a', '--password=x y', 'HF_TOKEN=hf_1']), 'a --password=… HF_TOKEN=…');
    assert.equal(redactedCommand(['git', 'https://me:pw@host/x']), 'git https://me:…@host/x');
    assert.equal(redactedCommand(['a', '--token', '--epochs', '3']), 'a --token --epochs 3');
    assert.equal(
      redactedCommand(['vllm', '--max-num-batched-tokens', '8192']),
      'vllm --max-num-batched-tokens 8192',
    );
  });
});
