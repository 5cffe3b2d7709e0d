import assert from 'node:assert/strict';
import { llama } from '../../../src/core/memory/architectures/llama';
import { adapterMethods } from '../../../src/core/memory/methods/registry';
import { steppedInBackward } from '../../../src/core/memory/optimizer';
import { optimizers } from '../../../src/core/memory/optimizers/registry';
import { GRADIENTS, STATES } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import type { Played } from '../../../src/core/memory/played';
import { memoryRun, modelOf } from './support';
import type { RunChanges } from './support';

/** Three layers as wide as Llama 3.2 3B's. */
const model = modelOf({
  model_type: 'llama',
  hidden_size: 3072,
  intermediate_size: 8192,
  num_attention_heads: 24,
  num_key_value_heads: 8,
  head_dim: 128,
  vocab_size: 8192,
  num_hidden_layers: 3,
  max_position_embeddings: 2048,
  tie_word_embeddings: true,
});

interface Case {
  readonly method: string;
  readonly r: number;
  readonly targets?: readonly string[];
  readonly trainable: number;
  /** Steady peak of peft 0.21.2 on fake tensors: transformers 5.23.0, 4 padded rows of 512 tokens, bf16, AdamW. */
  readonly peak: number;
  /** The tape's tolerance; 0: exact to the byte. */
  readonly within: number;
}

const cases: readonly Case[] = [
  { method: 'lora', r: 32, trainable: 983040, peak: 1631239168, within: 0 },
  { method: 'ln_tuning', r: 0, targets: [], trainable: 21504, peak: 1555084288, within: 0 },
  { method: 'vera', r: 256, trainable: 13824, peak: 1586578432, within: 0 },
  { method: 'miss', r: 64, trainable: 786432, peak: 1479457792, within: 0 },
  { method: 'hira', r: 32, trainable: 983040, peak: 1730329600, within: 0 },
  { method: 'dora', r: 32, trainable: 995328, peak: 1782512640, within: 0.0005 },
  {
    method: 'ia3',
    r: 0,
    targets: ['k_proj', 'v_proj', 'down_proj'],
    trainable: 30720,
    peak: 1693850624,
    within: 0.0005,
  },
  { method: 'fourierft', r: 0, trainable: 6000, peak: 1718705152, within: 0.0005 },
  { method: 'road', r: 0, trainable: 12288, peak: 1668611072, within: 0.0005 },
  { method: 'delora', r: 32, trainable: 983046, peak: 1632916480, within: 0.0005 },
  { method: 'adalora', r: 32, trainable: 983232, peak: 1636759552, within: 0.004 },
  { method: 'oft', r: 0, trainable: 285696, peak: 1629998080, within: 0.004 },
  { method: 'boft', r: 0, trainable: 86016, peak: 2085501952, within: 0.007 },
  { method: 'adaption_prompt', r: 100, trainable: 921603, peak: 1587784192, within: 0 },
  { method: 'beft', r: 0, targets: ['v_proj'], trainable: 3072, peak: 1466911744, within: 0 },
  { method: 'deft', r: 32, trainable: 983040, peak: 1736621056, within: 0 },
  { method: 'glora', r: 8, trainable: 491520, peak: 1561025536, within: 0.0005 },
  { method: 'gralora', r: 32, trainable: 983040, peak: 1632812032, within: 0 },
  { method: 'hra', r: 8, trainable: 147456, peak: 3910912000, within: 0.0005 },
  { method: 'lily', r: 140, trainable: 3729040, peak: 1676489728, within: 0.0005 },
  {
    method: 'osf',
    r: 0,
    targets: ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    trainable: 224945664,
    peak: 8375311360,
    within: 0,
  },
  { method: 'peanut', r: 32, trainable: 786432, peak: 1881324544, within: 0 },
  { method: 'prefix_tuning', r: 50, trainable: 307200, peak: 1485449216, within: 0.005 },
  { method: 'psoft', r: 256, trainable: 198912, peak: 1655902208, within: 0.002 },
  { method: 'pvera', r: 256, trainable: 15360, peak: 1627491328, within: 0 },
  { method: 'randlora', r: 32, trainable: 995328, peak: 1701510144, within: 0.0005 },
  { method: 'tinylora', r: 2, trainable: 384, peak: 1467236352, within: 0 },
  { method: 'vblora', r: 4, trainable: 188416, peak: 1621720576, within: 0.0005 },
  { method: 'waveft', r: 0, trainable: 15552, peak: 1870864384, within: 0.0005 },
];

function played({ method, r, targets = ['q_proj', 'v_proj'] }: Case): Played {
  const found = adapterMethods.find(({ names }) => names.includes(method)) ?? null;
  const aims = found?.targets === 'all' ? ('all-linear' as const) : targets;
  const lora = {
    r,
    dropout: 0,
    targets: aims,
    modulesToSave: [],
    dtype: 'fp32' as const,
    method: found,
    experts: null,
  };
  const seen = found?.prefixes ? r : 0;
  return play(llama, memoryRun({ model, rows: 4, tokens: 512, padded: true, lora, seen }));
}

const trainedIn = ({ trainable }: Played): number =>
  trainable.reduce(
    (sum, { times, parameters }) => sum + times * parameters.reduce((all, { elements }) => all + elements, 0),
    0,
  );

describe('memory: methods beside LoRA', () => {
  for (const one of cases) {
    it(`take what PEFT's code takes: ${one.method}`, () => {
      const run = played(one);
      const peak = Math.max(...run.phases.map(({ peak: { bytes } }) => bytes));
      assert.equal(trainedIn(run), one.trainable);
      assert.ok(Math.abs(peak / one.peak - 1) <= one.within, `${peak} for ${one.peak}`);
    });
  }

  it('have names of their own, and sources', () => {
    const names = adapterMethods.flatMap(({ names: own }) => own);
    assert.equal(new Set(names).size, names.length);
    for (const { source } of adapterMethods) assert.match(source, /\d.*\.py/);
  });
});

describe('memory: gradients taken in backward', () => {
  const steady = (changes: RunChanges): Played => play(llama, memoryRun({ model, ...changes }));
  const most = (run: Played, term: number): number =>
    Math.max(...run.phases.map(({ peak }) => peak.terms[term] ?? 0));
  const named = (name: string) => optimizers.find(({ names }) => names.includes(name)) ?? null;

  it('are never all alive, and states are the same', () => {
    const fused = named('adamw_torch_fused');
    assert.ok(fused);
    const [after, during] = [steady({ optimizer: fused }), steady({ optimizer: steppedInBackward(fused) })];
    assert.equal(most(during, STATES), most(after, STATES));
    assert.ok(most(during, GRADIENTS) * 4 < most(after, GRADIENTS));
  });

  it('count states in the bits of torchao: 2 × (1 + 4/256) and 2 × (½ + 4/256) bytes a parameter', () => {
    const parameters = trainedIn(steady({}));
    for (const [name, each] of [
      ['adamw_torch_8bit', 2 * (1 + 4 / 256)],
      ['adamw_torch_4bit', 2 * (0.5 + 4 / 256)],
    ] as const) {
      const states = most(steady({ optimizer: named(name) }), STATES);
      assert.ok(Math.abs(states / parameters / each - 1) < 0.002, `${name}: ${states / parameters}`);
    }
  });
});
