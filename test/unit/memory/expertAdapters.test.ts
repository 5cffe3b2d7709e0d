import assert from 'node:assert/strict';
import { qwen3Moe } from '../../../src/core/memory/architectures/qwen';
import type { LoraPlan } from '../../../src/core/memory/adapterMethod';
import type { MemoryRun } from '../../../src/core/memory/run';
import { RunQuestions } from '../../../src/core/memory/setup/questions';
import { targetedIn } from '../../../src/core/memory/setup/adapters';
import { ACTIVATIONS, WEIGHTS } from '../../../src/core/memory/terms';
import { play } from '../../../src/core/memory/timeline';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { statedRun } from '../../eval/accuracy/stated';
import { fixture, memoryRun, modelOf, peakOf, recordedPhases } from './support';
import type { RunChanges } from './support';

type Run = SimulatedRecord & {
  readonly lora: NonNullable<SimulatedRecord['lora']> & { readonly parameters?: readonly string[] };
};

const runs = fixture('expertAdapters') as readonly Run[];
const framework = { id: 'transformers' as const, name: 'transformers', version: '5.23.0', stated: true };

const modelIn = (run: SimulatedRecord) => modelOf({ ...run.config, model_type: run.model_type });

/** PEFT's plan for a run's targets. */
function targeted(run: Run): Pick<LoraPlan, 'targets' | 'experts'> {
  const { lora } = run;
  const questions = new RunQuestions(statedRun('test', framework, {}, {}));
  const model = modelIn(run);
  const settings = {
    ...{
      r: lora.r,
      alpha: null,
      dropout: 0,
      targets: null,
      modulesToSave: [],
      rslora: false,
      dora: false,
    },
    ...(lora.parameters && { targetParameters: lora.parameters }),
  };
  const found = targetedIn(
    questions,
    settings,
    { targets: lora.targets, r: lora.r },
    { model, behavior: memoryRun().behavior },
  );
  assert.ok(found);
  return found;
}

const runOf = (run: Run, changes: RunChanges = {}): MemoryRun =>
  memoryRun({
    model: modelIn(run),
    rows: run.micro_batch_size,
    tokens: run.seq_len ?? 0,
    checkpointing: run.gradient_checkpointing ? 'non-reentrant' : 'none',
    inputGradients: run.gradient_checkpointing === true,
    lora: { r: run.lora.r, dropout: 0, modulesToSave: [], dtype: 'fp32', method: null, ...targeted(run) },
    ...changes,
  });

describe('memory: adapters on stacked experts', () => {
  for (const run of runs) {
    it(`takes what PEFT takes: ${run.id}`, () => {
      const played = play(qwen3Moe, runOf(run));
      assert.deepEqual(recordedPhases(played), run.bytes);
    });
  }
});

describe('memory: stacked experts in four bits', () => {
  const [run] = runs;
  assert.ok(run);
  const quantized = { quantization: 'nf4', quantizesExperts: true } as const;
  const plain = play(qwen3Moe, runOf(run, { quantization: 'nf4' }));
  const packed = play(qwen3Moe, runOf(run, quantized));
  // Eight experts of 2 × 128 × 256 and 256 × 128, in four layers; nf4 takes half a byte per weight and 4 bytes per
  // block of 64.
  const elements = 4 * 8 * 3 * 128 * 256;

  it('are held in half a byte each and a scale a block', () => {
    const saved = peakOf(plain, 'backward', WEIGHTS) - peakOf(packed, 'backward', WEIGHTS);
    assert.equal(saved, elements * 2 - (elements / 2 + (elements / 64) * 4));
  });

  // bitsandbytes, nn/parametrize.py: the dequantized weight is created for each pass, which keeps it for the
  // gradients of its input.
  it('are kept in full for backward where layers are not checkpointed', () => {
    const kept = peakOf(packed, 'forward', ACTIVATIONS) - peakOf(plain, 'forward', ACTIVATIONS);
    assert.equal(kept, 0, 'with adapters the sum is kept, whatever the base is held in');
    const bare = { lora: { ...runOf(run).training.lora, experts: null } } as RunChanges;
    const without = (more: RunChanges): number =>
      peakOf(play(qwen3Moe, runOf(run, { ...more, ...bare })), 'forward', ACTIVATIONS);
    assert.equal(without(quantized) - without({ quantization: 'nf4' }), elements * 2);
  });
});

describe('memory: targets of adapters that experts have', () => {
  const [run] = runs;
  assert.ok(run);
  const model = modelIn(run);
  const plain = { alpha: null, dropout: 0, targets: null, modulesToSave: [], rslora: false, dora: false };
  const ask = (targets: LoraPlan['targets'], targetParameters?: readonly string[]) => {
    const questions = new RunQuestions(statedRun('test', framework, {}, {}));
    const settings = { ...plain, r: 4, ...(targetParameters && { targetParameters }) };
    const facts = { model, behavior: memoryRun().behavior };
    return { questions, found: targetedIn(questions, settings, { targets, r: 4 }, facts) };
  };

  it('are converted: gate and up together, with the rank of both', () => {
    assert.deepEqual(ask('all-linear').found?.experts, { gateUp: 8, down: 4 });
    assert.deepEqual(ask(['q_proj', 'down_proj']).found, {
      targets: ['q_proj'],
      experts: { gateUp: 0, down: 4 },
    });
  });

  it('are missing where PEFT refuses, or where nobody says how many layers have them', () => {
    assert.match(ask(['gate_proj']).questions.missing.join(), /one matrix/);
    assert.match(ask(['q_proj'], ['22.mlp.experts.down_proj']).questions.missing.join(), /how many layers/);
  });
});
