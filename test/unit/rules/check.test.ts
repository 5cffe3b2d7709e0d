import assert from 'node:assert/strict';
import type { Report, Rule, RuleContext, RuleFault } from '../../../src/core/rules/rule';
import { checkRules, ruleContext } from '../../../src/core/rules/check';
import { runsOf } from './findings';

const text = '# a comment\nbase_model: m/m\nmicro_batch_size: 2\nnested:\n  list:\n    - key: 1\n';

async function contextOf(files: Record<string, string> = {}, config = text): Promise<RuleContext> {
  const [run] = await runsOf(config, { files });
  assert.ok(run);
  return ruleContext({ run, model: null, target: null, estimate: null, missing: [] });
}

const rule = (id: string, check: () => readonly Report[], dialects?: readonly string[]): Rule => ({
  id,
  severity: 'warning',
  summary: '',
  sources: [],
  check,
  ...(dialects ? { dialects } : {}),
});
const says = (...at: string[]): readonly Report[] => [{ at, message: 'Said.' }];
const none = { severities: {} };

describe('checking rules', () => {
  it('locates keys, list items and quantities', async () => {
    const context = await contextOf();
    const places = [
      'nested.list[0].key',
      'nested.list[0]',
      'quantity:microBatchSize',
      'quantity:gradAccum',
    ].map(at => checkRules(context, none, [rule('r', () => says(at))])[0]);
    assert.deepEqual(
      places.map(place => place && [place.path, place.line, place.column]),
      [
        ['nested.list[0].key', 6, 7],
        ['nested.list[0]', 6, 7],
        ['micro_batch_size', 3, 1],
        // A default has no place in the file: the first recognized key is used.
        ['base_model', 2, 1],
      ],
    );
    assert.equal(text.slice(places[2]!.span.start, places[2]!.span.end), 'micro_batch_size');
  });

  it('takes the first candidate place that a file has', async () => {
    const context = await contextOf();
    const [found] = checkRules(context, none, [
      rule('r', () => says('gone', 'quantity:gone', 'nested', 'base_model')),
    ]);
    assert.equal(found?.path, 'nested');
  });

  it('locates keys of a file that the config names', async () => {
    const json = '{"zero_optimization":\n {"stage": 2}}';
    const context = await contextOf({ 'ds.json': json }, `${text}deepspeed: ds.json\n`);
    const wishes = ['deepspeed:zero_optimization.stage', 'quantity:zeroStage'];
    const found = checkRules(context, none, [
      rule('r', () => wishes.map(at => ({ at: [at], message: 'Said.' }))),
    ]);
    assert.deepEqual(
      found.map(({ file, path, line }) => [file, path, line]),
      [
        ['/project/ds.json', 'zero_optimization.stage', 2],
        ['/project/ds.json', 'zero_optimization.stage', 2],
      ],
    );
  });

  it('does not point into a preset that is on no disk', async () => {
    const context = await contextOf({}, `${text}deepspeed: deepspeed_configs/zero3.json\n`);
    const [found] = checkRules(context, none, [
      rule('r', () => says('deepspeed:zero_optimization.stage', 'deepspeed')),
    ]);
    assert.equal(found?.path, 'deepspeed');
  });

  it('asks only the rules of the run’s dialect', async () => {
    const context = await contextOf();
    const found = checkRules(context, none, [
      rule('ours', () => says(), ['axolotl']),
      rule('everyones', () => says()),
      rule('theirs', () => says(), ['hf-trl']),
    ]);
    assert.deepEqual(found.map(one => one.rule).sort(), ['everyones', 'ours']);
  });

  it('follows the user’s severities', async () => {
    const context = await contextOf();
    const list = [rule('a', () => says()), rule('b', () => says()), rule('c', () => says())];
    const found = checkRules(context, { severities: { a: 'error', b: 'off' } }, list);
    assert.deepEqual(
      found.map(one => [one.rule, one.severity]),
      [
        ['a', 'error'],
        ['c', 'warning'],
      ],
    );
  });

  it('reports a rule that throws, and asks the others', async () => {
    const context = await contextOf();
    const fault = new TypeError('a fault');
    const failing = rule('failing', () => {
      throw fault;
    });
    const faults: RuleFault[] = [];
    const reporting = { ...none, onFault: (heard: RuleFault) => faults.push(heard) };
    const found = checkRules(context, reporting, [failing, rule('sound', () => says())]);
    assert.deepEqual(
      found.map(one => one.rule),
      ['sound'],
    );
    assert.deepEqual(faults, [{ rule: 'failing', file: context.run.sources[0]!.path, error: fault }]);
  });

  it("rethrows a rule's error if nothing handles it", async () => {
    const context = await contextOf();
    const failing = rule('failing', () => {
      throw new TypeError('a fault');
    });
    assert.throws(() => checkRules(context, none, [failing]), /a fault/);
  });

  it('sorts by place, then by rule', async () => {
    const context = await contextOf();
    const found = checkRules(context, none, [
      rule('z', () => says('micro_batch_size')),
      rule('b', () => says('base_model')),
      rule('a', () => says('micro_batch_size')),
    ]);
    assert.deepEqual(
      found.map(one => one.rule),
      ['b', 'a', 'z'],
    );
  });
});
