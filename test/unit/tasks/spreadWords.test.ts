import assert from 'node:assert/strict';
import type { HostOfMany } from '../../../src/core/compare/machines';
import { commandIn, partCount, partsText, spreadWords, whereText } from '../../../src/tasks/spreadWords';
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

const USUAL = { sshConfig: null, hostCommand: [], onlyPython: false };

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

  it('has one part per GPU, and one on a host without GPUs', () => {
    assert.equal(partCount(hosts), 3);
    assert.equal(whereText(hosts), 'BOX (GPU 0, GPU 1), OLD (its CPU)');
    assert.match(
      partsText(hosts, USUAL)[0] ?? '',
      /^The texts are split into 3 equal parts, one on each GPU\.$/,
    );
    assert.equal(partCount(on('slurm')), 16);
  });

  it("adds its options to a single embedding's command", () => {
    assert.deepEqual(spreadWords(ARGV, hosts, USUAL), [...OWN, '--hosts', 'box', 'old']);
    assert.deepEqual(spreadWords(ARGV, hosts, { ...USUAL, sshConfig: '/c' }), [
      ...OWN,
      '--ssh-config',
      '/c',
      '--hosts',
      'box',
      'old',
    ]);
    assert.deepEqual(spreadWords(ARGV, on('slurm'), USUAL), [
      ...OWN,
      ...['--slurm', 'login', '--partition', 'gpu', '--parts', '16'],
    ]);
    assert.deepEqual(spreadWords(ARGV, on('ray'), USUAL), [
      ...OWN,
      ...['--ray', 'http://head:8265', '--parts', '16'],
    ]);
  });

  it('calls Headroom elsewhere as configured, and says so before', () => {
    const hostCommand = ['node', '/opt/head room/cli.js'];
    const reach = { ...USUAL, sshConfig: '/c', hostCommand };
    const called = ['--host-command', ...hostCommand];
    const ssh = ['--ssh-config', '/c'];
    assert.deepEqual(spreadWords(ARGV, hosts, reach), [...OWN, ...ssh, ...called, '--hosts', 'box', 'old']);
    assert.deepEqual(spreadWords(ARGV, on('slurm'), reach), [
      ...OWN,
      ...ssh,
      ...called,
      ...['--slurm', 'login', '--partition', 'gpu', '--parts', '16'],
    ]);
    assert.deepEqual(spreadWords(ARGV, on('ray'), reach), [
      ...OWN,
      ...called,
      ...['--ray', 'http://head:8265', '--parts', '16'],
    ]);
    assert.match(
      partsText(hosts, reach).join(' '),
      / On each host, Headroom starts with: node '\/opt\/head room\/cli\.js'\. Otherwise, its own Python /,
    );
    assert.match(partsText(on('ray'), reach).at(-1) ?? '', /^On each machine that runs a part/);
    assert.match(partsText(hosts, USUAL).at(-1) ?? '', /^On each host, headroom is used if it is installed/);
    assert.match(partsText(on('slurm'), USUAL).at(-1) ?? '', /its own Python computes the vectors/);
    assert.doesNotMatch(partsText(on('ray'), USUAL).join(' '), /installed|called|Python/);
  });

  it('uses the Python there as configured, and says so before', () => {
    const reach = { ...USUAL, onlyPython: true };
    assert.deepEqual(spreadWords(ARGV, on('ray'), reach), [
      ...OWN,
      '--only-python',
      ...['--ray', 'http://head:8265', '--parts', '16'],
    ]);
    assert.match(
      partsText(on('ray'), reach).at(-1) ?? '',
      /its own Python computes the vectors, with sentence-transformers/,
    );
  });

  it('has no arguments that the command line would take for options', () => {
    assert.deepEqual(commandIn(['sh', '/opt/run headroom']), ['sh', '/opt/run headroom']);
    assert.deepEqual(commandIn([]), []);
    for (const words of [['node', '-r', 'x'], ['--out'], [''], [' '], [5], [null], { 0: 'node' }]) {
      assert.equal(commandIn(words), null, JSON.stringify(words));
    }
  });
});
