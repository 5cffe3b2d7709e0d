import assert from 'node:assert/strict';
import { hasLogin, idOf, readHosts } from '../../../src/gpu/hosts';

describe('clusters among the configured hosts', () => {
  it('are Slurm here or behind a login node, and Ray by its address', () => {
    const { specs, problems } = readHosts([
      { slurm: true },
      { slurm: 'login', name: 'Cluster' },
      { ray: 'head', tokenVariable: 'RAY_HEAD_TOKEN' },
      'login',
      { slurm: 'login' },
    ]);
    assert.deepEqual(problems, []);
    assert.deepEqual(specs.map(idOf), ['slurm:local', 'slurm:login', 'ray:head:8265', 'ssh:login']);
    assert.deepEqual(
      specs.map(({ name }) => name),
      ['Slurm', 'Cluster', 'Ray head:8265', 'login'],
    );
    assert.deepEqual(specs.map(hasLogin), [false, true, false, true]);
  });

  it('are told when they are wrong', () => {
    const { specs, problems } = readHosts([
      { slurm: '-oProxyCommand=x' },
      { slurm: 7 },
      { ray: 'ray://head:10001' },
      { ray: 5 },
      { ray: 'head', tokenVariable: 'GITHUB_TOKEN' },
    ]);
    assert.deepEqual(specs, []);
    assert.equal(problems.length, 5);
    assert.match(problems[4] ?? '', /must start with RAY_/);
  });
});
