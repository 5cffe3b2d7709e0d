import assert from 'node:assert/strict';
import type { HostOfMany } from '../../../src/tasks/ports';
import { partCount, partsText, spreadWords, whereText } from '../../../src/tasks/spreadWords';
import type { Spread } from '../../../src/tasks/spreadWords';

const host = (alias: string, gpus: number): HostOfMany => ({
  alias,
  name: alias.toUpperCase(),
  gpus: Array.from({ length: gpus }, (_, index) => ({
    index,
    uuid: `GPU-${index}`,
    name: 'NVIDIA L4',
    totalBytes: null,
    freeBytes: null,
  })),
  trouble: null,
});

const ARGV = ['node', 'cli.js', 'embed', 'a.yaml', '--progress', 'line', '--verify'];
const OWN = ['node', 'cli.js', 'embed', 'a.yaml', '--progress', 'line'];

describe('an embedding in parts', () => {
  const hosts: Spread = { kind: 'hosts', hosts: [host('box', 2), host('old', 0)] };
  const on = (engine: 'slurm' | 'ray'): Spread => ({
    kind: 'cluster',
    place:
      engine === 'ray'
        ? { engine, address: 'http://head:8265' }
        : { engine, alias: 'login', partition: 'gpu' },
    name: 'Lab',
    parts: 16,
  });

  it('has one on each GPU, and one on a host without any', () => {
    assert.equal(partCount(hosts), 3);
    assert.equal(whereText(hosts), 'BOX (GPU 0, GPU 1), OLD (its processors)');
    assert.match(partsText(hosts)[0] ?? '', /^The texts are split into 3 equal parts, one on each GPU\.$/);
    assert.equal(partCount(on('slurm')), 16);
  });

  it('is the command of one with what spreads it', () => {
    assert.deepEqual(spreadWords(ARGV, hosts, null), [...OWN, '--hosts', 'box', 'old']);
    assert.deepEqual(spreadWords(ARGV, hosts, '/c'), [...OWN, '--ssh-config', '/c', '--hosts', 'box', 'old']);
    assert.deepEqual(spreadWords(ARGV, on('slurm'), null), [
      ...OWN,
      ...['--slurm', 'login', '--partition', 'gpu', '--parts', '16'],
    ]);
    assert.deepEqual(spreadWords(ARGV, on('ray'), null), [
      ...OWN,
      ...['--ray', 'http://head:8265', '--parts', '16'],
    ]);
  });
});
