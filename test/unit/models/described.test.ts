import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describedModelText, unknownHubModel } from '../../../src/core/analyse/unknownModel';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import { describedModel, readDescription } from '../../../src/core/models/described';
import { axolotl, judged } from '../core/support';
import { statedRun } from '../../eval/accuracy/stated';
import { tries } from '../../tries';

const GB = 2 ** 30;

function expected(
  text: string,
  batch: number,
  seqLen?: number,
): { low: number; expected: number; high: number } {
  const model = describedModel('mine', readDescription(`model: mine\n${text}`));
  assert.ok(model);
  const quantities = { task: 'sft', microBatchSize: batch, ...(seqLen === undefined ? {} : { seqLen }) };
  const result = estimateRun(
    statedRun('mine', { id: null, name: 'mine', version: null }, quantities, {}),
    model,
    null,
  );
  assert.ok(result.ok);
  return result.estimate.devices[0]!.device;
}

const why = (text: string): string => {
  const reading = readDescription(text);
  return reading.ok ? 'read' : reading.why;
};

describe('models that their users describe', () => {
  const two = 'measured:\n  - { batch: 2, memory: 4 GB }\n  - { batch: 6, memory: 8 GB }\n';

  it('lie on the line through two measured runs, with ten per cent around it', () => {
    const { low, expected: at, high } = expected(two, 4);
    assert.equal(at, 6 * GB);
    assert.ok(Math.abs(low / at - 0.9) < 1e-9 && Math.abs(high / at - 1.1) < 1e-9);
  });

  it('pass through two measured runs, also where the line between them begins below zero', () => {
    const steep = 'measured:\n  - { batch: 8, memory: 2.7 GB }\n  - { batch: 32, memory: 12 GB }\n';
    const gigabytes = [4, 8, 20, 32].map(batch => expected(steep, batch).expected / GB);
    assert.deepEqual(
      gigabytes.slice(1).map(amount => amount.toFixed(2)),
      ['2.70', '7.35', '12.00'],
    );
    assert.ok(gigabytes[0]! > 0.5 && gigabytes[0]! < 2.7, `${gigabytes[0]} GB at a batch of 4`);
  });

  it('begin with a file that knows nothing until its points are filled in', () => {
    const name = 'some one/odd: "name" # no comment';
    const text = describedModelText(name);
    assert.notEqual(why(text), 'read');
    const filled = text.replaceAll('# - {', '- {');
    assert.equal(why(filled), 'read');
    assert.ok(describedModel(name, readDescription(filled)));
  });

  it('are asked for on the hub only by an id of the hub', async () => {
    const idOf = async (base_model: string) => unknownHubModel(await judged(axolotl({ base_model })));
    assert.equal(await idOf('nobody/unheard-of'), 'nobody/unheard-of');
    for (const name of [
      '"nobody/x; reboot"',
      '"--help/x"',
      './nobody/unheard-of',
      'NousResearch/Meta-Llama-3-8B',
    ]) {
      assert.equal(await idOf(name), null, name);
    }
  });

  it('are less sure beyond what was measured', () => {
    const near = expected(two, 6);
    const far = expected(two, 24);
    assert.equal(far.expected, 26 * GB);
    assert.ok(far.high / far.expected > near.high / near.expected);
  });

  it('take their interval from how far three points are from a line', () => {
    const bent = `${two}  - { batch: 4, memory: 9 GB }\n`;
    const { expected: at, high } = expected(bent, 4);
    assert.equal(at, 7 * GB);
    assert.ok(high / at >= 1.28);
  });

  it('grow with tokens where every run says how many there are', () => {
    const long =
      'measured:\n  - { batch: 1, sequence: 100, memory: 2 GB }\n  - { batch: 1, sequence: 300, memory: 4 GB }\n';
    assert.equal(expected(long, 2, 100).expected, 3 * GB);
  });

  it('take memory from torch as less than the device shows', () => {
    assert.ok(expected(`metric: allocated\n${two}`, 4).expected > expected(two, 4).expected);
  });

  it('say what is wrong with a description', () => {
    assert.match(why('measured: []'), /^model: /);
    assert.match(why('model: a'), /^measured, components or like: /);
    assert.match(why('model: a\nmeasured: [{ batch: 0, memory: 2 GB }]'), /^measured\.batch: /);
    assert.match(why('model: a\nmeasured: [{ batch: 1, memory: much }]'), /^measured\.memory: /);
    assert.match(why('model: a\ncomponents: { weights: 2 GB }'), /^at: /);
    assert.match(why('model: a\ncomponents: { wheels: 2 GB }\nat: { batch: 1 }'), /^components\.wheels: /);
    assert.match(
      why('model: a\nmetric: guess\ncomponents: { weights: 1 GB }\nat: { batch: 1 }'),
      /^metric: /,
    );
    assert.match(why(''), /^the file: /);
  });

  it('never shrink with the batch, whatever was measured', () => {
    const point = fc.record({
      batch: fc.integer({ min: 1, max: 64 }),
      memory: fc.integer({ min: 1, max: 80 }),
    });
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 64 }),
        (points, batch) => {
          const lines = points.map(one => `  - { batch: ${one.batch}, memory: ${one.memory} GB }\n`).join('');
          const [less, more] = [
            expected(`measured:\n${lines}`, batch),
            expected(`measured:\n${lines}`, batch + 1),
          ];
          assert.ok(less.low <= less.expected && less.expected <= less.high);
          assert.ok(more.expected >= less.expected - 1);
        },
      ),
      { numRuns: tries(40) },
    );
  });
});
