import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { parseRayGpus } from '../../../../src/gpu/ray/gpus';
import { parseRayNodes, parseRayUsage, usedInSummary } from '../../../../src/remote/rayNodes';
import { capacitiesOf } from '../../../../src/gpu/slurm/capacity';
import { parseNodes } from '../../../../src/gpu/slurm/nodes';
import { parsePartitions } from '../../../../src/gpu/slurm/partitions';
import { parseQueue } from '../../../../src/gpu/slurm/queue';
import { tries } from '../../../tries';

const recorded = (name: string): string => readFileSync(join('test/fixtures', name), 'utf8');

const NODES = recorded('slurm/nodes-22.05.txt');
const PARTITIONS = recorded('slurm/partitions-22.05.txt');
const QUEUE = recorded('slurm/queue-22.05.txt');

/** A text with a missing, doubled or replaced part. */
const mangled = (text: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.nat(text.length),
      fc.nat(400),
      fc.constantFrom('', '\r\n', '\u001b[31m', ',', '=', '(null)', '{', '9e9'),
    )
    .map(([from, length, other]) => text.slice(0, from) + other + text.slice(from + length));

describe('mangled answers of clusters', () => {
  it('never break the reading of Slurm, nor give more free GPUs than there are', () => {
    fc.assert(
      fc.property(mangled(NODES), mangled(PARTITIONS), mangled(QUEUE), (nodes, partitions, queue) => {
        const all = capacitiesOf(parseNodes(nodes) ?? [], parsePartitions(partitions), parseQueue(queue));
        for (const { gpusTotal, gpusFree, members = [] } of all) {
          assert.ok(gpusFree === null || (gpusFree >= 0 && gpusFree <= gpusTotal));
          assert.ok(members.every(one => one.gpusFree === null || one.gpusFree <= one.gpusTotal));
        }
      }),
      { numRuns: tries(100) },
    );
  });

  it('never break the reading of Ray', () => {
    const json = fc.json({ maxDepth: 6 });
    const texts = ['nodes-2.60.json', 'status-2.60.json', 'summary-gpus.json'].map(name =>
      recorded(`ray/${name}`),
    );
    fc.assert(
      fc.property(fc.oneof(json, ...texts.map(mangled)), text => {
        parseRayNodes(text);
        parseRayUsage(text);
        usedInSummary(text);
        const gpus = parseRayGpus(text, 0);
        assert.equal(gpus?.devices.length, gpus?.samples.length);
      }),
      { numRuns: tries(100) },
    );
  });

  it('are read as JSON of any shape, or rejected', () => {
    const odd = fc.record(
      {
        name: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        state: fc.oneof(fc.string(), fc.array(fc.anything()), fc.object()),
        gres: fc.oneof(fc.string(), fc.constant('gpu:a100:8'), fc.constant(null)),
        gres_used: fc.oneof(fc.string(), fc.constant('gpu:a100:9(IDX:0-8)'), fc.integer()),
        partitions: fc.oneof(fc.array(fc.string()), fc.string(), fc.constant(null)),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(odd), nodes => {
        const read = parseNodes(JSON.stringify({ nodes })) ?? [];
        for (const { gpusFree } of capacitiesOf(read, parsePartitions(PARTITIONS), new Map())) {
          assert.ok(gpusFree === null || gpusFree >= 0);
        }
      }),
      // A value that cannot even be converted to text.
      { numRuns: tries(100), examples: [[[{ state: [{ toString: '' }] }]]] },
    );
  });
});
