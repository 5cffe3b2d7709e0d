import assert from 'node:assert/strict';
import { DEFAULT_MARGIN } from '../../../src/core/plan/plan';
import type { PlanSearch } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import { applyEdits } from '../../../src/core/text/textEdit';
import { judge, target } from '../../unit/core/support';
import { english } from '../../../src/core/text/say';

const LLAMA = `model_name_or_path: meta-llama/Llama-3.1-8B-Instruct
torch_dtype: float16
device_map: auto
max_input_length: 1536
max_new_tokens: 512
`;

async function searched(text: string, gpu: string, count = 1): Promise<PlanSearch> {
  const { dialect, runs } = await judge({ 'infer.yaml': text }, gpu);
  assert.equal(dialect, 'transformers-loading');
  const [run] = runs;
  assert.ok(run);
  const context = {
    run: run.run,
    model: run.model,
    target: target(gpu, count),
    estimate: run.estimate,
    samplesPerGpu: null,
    say: english,
  };
  const options = {
    goal: run.verdict === 'fits' ? 'fill' : 'fit',
    margin: DEFAULT_MARGIN,
    mayTrade: true,
  } as const;
  return searchPlans(context, options, () => Promise.resolve(), { aborted: false });
}

/** A config with the first plan applied. */
const applied = (text: string, { plans }: PlanSearch): string =>
  applyEdits(text, plans[0]?.edits.map(({ edit }) => edit) ?? []);

/** Reads a proposal again as a config. */
async function readAgain(search: PlanSearch, gpu: string) {
  return judge({ 'infer.yaml': applied(LLAMA, search) }, gpu);
}

describe('a device map for a model', () => {
  it('uses one GPU if the model fits, however many there are', async () => {
    for (const count of [1, 2]) {
      const { deviceMap } = await searched(LLAMA, 'RTX 4090', count);
      assert.equal(deviceMap?.map, 'cuda:0');
      assert.equal(deviceMap.maxMemory, null);
    }
  });

  it('spreads evenly over the fewest GPUs that hold the model', async () => {
    const search = await searched(LLAMA, 'RTX 3060', 4);
    const { deviceMap } = search;
    assert.equal(deviceMap?.map, 'balanced');
    assert.deepEqual(Object.keys(deviceMap.maxMemory ?? {}), ['0', '1']);
    assert.equal(
      deviceMap.placed.reduce((sum, { layers }) => sum + layers, 0),
      32,
    );
    assert.ok(deviceMap.devices.every(({ verdict }) => verdict === 'fits'));
  });

  it('offloads what one small GPU does not hold, and keeps room next to the weights', async () => {
    const search = await searched(LLAMA, 'V100 SXM2 16GB');
    const { deviceMap } = search;
    assert.equal(deviceMap?.kind, 'offload');
    assert.ok(deviceMap.placed.some(({ device, layers }) => device === 'cpu' && layers > 0));
    const { runs } = await readAgain(search, 'V100 SXM2 16GB');
    assert.equal(runs[0]?.verdict, 'fits');
    assert.equal(runs[0].estimate?.devices[0]?.device.expected, deviceMap.devices[0]?.device.expected);
    assert.equal(deviceMap.fewerBits?.bits, 8);
  });

  it('states thresholds for this model: a GPU of that size holds it, one below does not', async () => {
    const { deviceMap } = await searched(LLAMA, 'V100 SXM2 16GB');
    assert.ok(deviceMap);
    const size = Math.ceil(deviceMap.thresholds.whole / 2 ** 30);
    const verdict = async (gigabytes: number): Promise<string | undefined> => {
      const { runs } = await judge({ 'infer.yaml': LLAMA.replace('auto', 'cuda:0') }, `${gigabytes}GB`);
      return runs[0]?.verdict;
    };
    assert.equal(await verdict(size + 1), 'fits');
    assert.notEqual(await verdict(size - 4), 'fits');
  });

  it('says for which text length it keeps room if the config does not', async () => {
    const { deviceMap, advice } = await searched(LLAMA.replace(/max_.*\n/g, ''), 'V100 SXM2 16GB');
    assert.equal(deviceMap?.supposedTokens, 2048);
    assert.match(advice.map(({ why }) => why).join('\n'), /texts of 2048 tokens/);
  });

  it('can be a call of from_pretrained', async () => {
    const { advice } = await searched(LLAMA, 'V100 SXM2 16GB');
    const python = advice.find(({ text }) => text.includes('from_pretrained'))?.text ?? '';
    assert.match(
      python,
      /^model = AutoModelForCausalLM\.from_pretrained\(\n {4}"meta-llama\/Llama-3\.1-8B-Instruct",\n/,
    );
    assert.match(
      python,
      /dtype=torch\.float16,\n {4}device_map="auto",\n {4}max_memory=\{0: "\d+GiB", "cpu": "\d+GiB"\},\n\)$/,
    );
  });

  it('is not offered for training', async () => {
    const { runs } = await judge({
      'train.yaml':
        'base_model: gpt2\nmicro_batch_size: 1\nsequence_len: 512\nlearning_rate: 1e-4\nadapter: lora\n',
    });
    const [run] = runs;
    assert.ok(run);
    const context = {
      run: run.run,
      model: run.model,
      target: target('RTX 4090'),
      estimate: run.estimate,
      samplesPerGpu: null,
      say: english,
    };
    const options = { goal: 'fit', margin: DEFAULT_MARGIN, mayTrade: true } as const;
    const { deviceMap } = await searchPlans(context, options, () => Promise.resolve(), { aborted: false });
    assert.equal(deviceMap, undefined);
  });
});

describe('a plan for a device map', () => {
  it('writes the map and its limits into the config, which reads as predicted', async () => {
    const text = LLAMA.replace('auto', 'cuda:0');
    const search = await searched(text, 'V100 SXM2 16GB', 2);
    const [plan] = search.plans;
    assert.equal(plan?.title, 'device_map cuda:0 → balanced, max_memory: {0: 15GiB, 1: 15GiB} (new)');
    assert.equal(plan.after.verdict, 'fits');
    const written = applied(text, search);
    assert.match(written, /device_map: balanced\n/);
    assert.match(written, /max_memory:\n {2}0: 15GiB\n {2}1: 15GiB\n/);
    const { runs } = await judge({ 'infer.yaml': written }, 'V100 SXM2 16GB');
    assert.equal(runs[0]?.estimate?.devices.length, 2);
    assert.equal(runs[0].estimate.devices[0]?.device.expected, plan.after.device.expected);
    assert.ok(search.advice.every(({ text: block }) => !block.startsWith('device_map')));
  });

  it('is written to the section of the existing map', async () => {
    const text = `model:\n${LLAMA.replaceAll(/^(?!max)/gm, '  ')
      .trimEnd()
      .replace('auto', 'cuda:0')}\n`;
    const search = await searched(text, 'V100 SXM2 16GB');
    const written = applied(text, search);
    assert.match(written, / {2}device_map: auto\n/);
    assert.match(written, /\n {2}max_memory:\n {4}0: \d+GiB\n {4}cpu: \d+GiB\n/);
  });

  it('is not offered if it would have to remove stated limits', async () => {
    const text = `${LLAMA}max_memory:\n  0: 15GiB\n  1: 1GiB\n  cpu: 20GiB\n`;
    const { plans } = await searched(text, 'V100 SXM2 16GB');
    assert.ok(plans.every(({ id }) => !id.includes('device-map')));
  });
});

describe('memory limits of a device map', () => {
  it('are reduced if nothing would be left next to the weights', async () => {
    const text = `${LLAMA}max_memory:\n  0: 15GiB # all of it\n  cpu: 20GiB\n`;
    const { plans } = await searched(text, 'V100 SXM2 16GB');
    const [plan] = plans;
    assert.match(plan?.title ?? '', /^max_memory\.0 15GiB → \d+GiB$/);
    const edits = plan?.edits.map(({ edit }) => edit) ?? [];
    const { runs } = await judge({ 'infer.yaml': applyEdits(text, edits) }, 'V100 SXM2 16GB');
    assert.equal(runs[0]?.estimate?.devices[0]?.device.expected, plan?.after.device.expected);
  });
});
