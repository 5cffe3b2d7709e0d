import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { capacitiesOf } from '../../../../src/gpu/slurm/capacity';
import { parsePartitions, typeMemoryMiB, typeName } from '../../../../src/gpu/slurm/partitions';
import { gpusInTres, parseGres } from '../../../../src/gpu/slurm/gres';
import { parseNodes } from '../../../../src/gpu/slurm/nodes';
import { parseQueue } from '../../../../src/gpu/slurm/queue';

const recorded = (name: string): string => readFileSync(join('test/fixtures/slurm', name), 'utf8');

const capacities = (nodes: string, partitions: string, queue = '') =>
  capacitiesOf(parseNodes(nodes) ?? [], parsePartitions(partitions), parseQueue(queue));

describe('Slurm capacity', () => {
  const all = capacities(
    recorded('nodes-22.05.txt'),
    recorded('partitions-22.05.txt'),
    recorded('queue-22.05.txt'),
  );
  const rows = all.map(({ place, gpu, nodes, gpusTotal, gpusFree, note }) => [
    place,
    gpu,
    nodes,
    gpusTotal,
    gpusFree,
    note,
  ]);

  it('is counted by partition and type, as a real cluster tells it', () => {
    assert.deepEqual(rows, [
      ['gpu', 'h100', 1, 8, 0, '1 of 1 node down; 1-00:00:00 at most; 6 GPU jobs are waiting'],
      ['gpu', 'a100', 3, 24, 5, '1 of 3 nodes drained; 1-00:00:00 at most; 6 GPU jobs are waiting'],
      ['mig', 'a100_1g.10gb', 1, 4, 3, '4:00:00 at most'],
      ['mig', 'a100_3g.40gb', 1, 1, 1, '4:00:00 at most'],
      // One GPU is allocated whole, another by a shard.
      ['shared', null, 1, 4, 2, '1 GPU job is waiting'],
      ['closed', 'a100', 1, 8, 0, 'the partition is down; 1 GPU job is waiting'],
      ['hidden', 'a100', 1, 8, 4, null],
    ]);
  });

  it('says of each node what it has and why it cannot be had', () => {
    const a100 = all.find(({ place, gpu }) => place === 'gpu' && gpu === 'a100');
    assert.deepEqual(a100?.members, [
      { name: 'gpu-a1', gpusTotal: 8, gpusFree: 1, note: null },
      {
        name: 'gpu-a2',
        gpusTotal: 8,
        gpusFree: 0,
        note: 'drained: Xid 79 on GPU 3 [root@2026-11-22T03:17:24]',
      },
      { name: 'gpu-a3', gpusTotal: 8, gpusFree: 4, note: null },
    ]);
  });

  it('reads JSON of scontrol, with flags beside the state or in it', () => {
    const node = {
      name: 'n1',
      partitions: ['gpu'],
      gres: 'gpu:h100:8(S:0-1)',
      gres_used: 'gpu:h100:3(IDX:0-2)',
      tres: 'cpu=96,gres/gpu=8',
      tres_used: 'cpu=24,gres/gpu=3',
      reason: '',
    };
    const document = (...nodes: object[]) => JSON.stringify({ nodes, errors: [] });
    const free = (text: string) => capacities(text, 'gpu|up|infinite').map(({ gpusFree }) => gpusFree);
    assert.deepEqual(free(document({ ...node, state: ['MIXED'] })), [5]);
    assert.deepEqual(free(document({ ...node, state: ['MIXED', 'DRAIN'], reason: 'disk' })), [0]);
    assert.deepEqual(free(document({ ...node, state: 'mixed', state_flags: ['MAINTENANCE'] })), [0]);
    assert.deepEqual(free(document({ ...node, state: ['MIXED'], gres_used: undefined })), [5]);
    assert.equal(parseNodes('{"nodes": ['), null);
    assert.equal(parseNodes("scontrol: unrecognized option '--json'"), null);
  });

  it('leaves unknown what a cluster does not say', () => {
    const old = (tres: string, used: string) =>
      capacities(
        `NodeName=n1 Gres=gpu:k80:4 State=MIXED Partitions=gpu CfgTRES=${tres} AllocTRES=${used}\n`,
        'gpu|up|infinite',
      )[0]?.gpusFree;
    assert.equal(old('cpu=16', 'cpu=2'), null);
    assert.equal(old('cpu=16,gres/gpu=4', 'cpu=2'), 4);
    assert.equal(old('cpu=16,gres/gpu=4', 'cpu=2,gres/gpu=3'), 1);
  });

  it('counts GPUs on nodes without a free CPU as out of reach', () => {
    const [one] = capacities(
      'NodeName=n1 Gres=gpu:a100:8 GresUsed=gpu:a100:2(IDX:0-1) State=ALLOCATED Partitions=gpu\n' +
        'NodeName=n2 Gres=gpu:a100:8 GresUsed=gpu:a100:0(IDX:N/A) State=IDLE~ Partitions=gpu\n',
      'gpu|up|2-00:00:00',
    );
    assert.ok(one);
    assert.deepEqual([one.gpusTotal, one.gpusFree], [16, 8]);
    assert.equal(one.note, '6 idle on nodes without a free CPU; 2-00:00:00 at most');
    assert.deepEqual(
      one.members?.map(({ note }) => note),
      ['no free CPU', 'starts on demand'],
    );
  });

  it('knows every way to say that a node is closed', () => {
    const free = (state: string) =>
      capacities(
        `NodeName=n1 Gres=gpu:4 GresUsed=gpu:0 State=${state} Partitions=p Reason=State=IDLE it says\n`,
        'p|up|infinite',
      )[0]?.gpusFree;
    for (const state of ['DOWN', 'IDLE*', 'MIXED+DRAIN', 'IDLE+MAINT', 'IDLE+RESERVED', 'IDLE%', 'IDLE$']) {
      assert.equal(free(state), 0, state);
    }
    for (const state of ['IDLE', 'MIXED', 'IDLE+PLANNED', 'IDLE+CLOUD+POWERED_DOWN', 'MIXED#']) {
      assert.equal(free(state), 4, state);
    }
  });
});

describe('Slurm resources', () => {
  it('have name, type, number and detail', () => {
    const short = (text: string) => parseGres(text).map(({ name, type, count }) => [name, type, count]);
    assert.deepEqual(short('gpu:a100:8(S:0-1),gpu:4,shard:16'), [
      ['gpu', 'a100', 8],
      ['gpu', null, 4],
      ['shard', null, 16],
    ]);
    assert.deepEqual(short('gpu:tesla:2,mps:2K,bandwidth:lustre:no_consume:4G'), [
      ['gpu', 'tesla', 2],
      ['mps', null, 2048],
      ['bandwidth', 'lustre', 4 * 2 ** 30],
    ]);
    assert.deepEqual(short('gpu:a100:2(IDX:0,3),shard:(null):1(IDX:0)'), [
      ['gpu', 'a100', 2],
      ['shard', null, 1],
    ]);
    assert.deepEqual(short('(null)'), []);
    assert.deepEqual(short('N/A'), []);
  });

  it('are read from trackable ones, each once', () => {
    assert.deepEqual(
      gpusInTres('cpu=4,gres/gpu=6,gres/gpu:a100=4,gres/gpu:v100=2')?.map(({ type, count }) => [type, count]),
      [
        ['a100', 4],
        ['v100', 2],
      ],
    );
    assert.equal(gpusInTres('cpu=4,mem=10G'), null);
  });

  it('have the memory that their name states, and no other', () => {
    assert.equal(typeMemoryMiB('a100_80gb'), 80 * 1024);
    assert.equal(typeMemoryMiB('nvidia_a100_80gb_pcie'), 80 * 1024);
    assert.equal(typeMemoryMiB('v100-32g'), 32 * 1024);
    for (const type of [
      'a100',
      'rtx_4090',
      'gtx1080ti',
      'a100_1g.10gb',
      '1g.5gb',
      'mi250x',
      'l40s',
      'h200',
    ]) {
      assert.equal(typeMemoryMiB(type), null, type);
    }
    assert.equal(typeName('nvidia_a100_80gb_pcie_1g.10gb'), 'nvidia a100 80gb pcie MIG 1g.10gb');
  });
});
