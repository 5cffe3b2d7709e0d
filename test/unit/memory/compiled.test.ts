import assert from 'node:assert/strict';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import type { BehaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import type { LossCode } from '../../../src/core/memory/frameworks/behavior/behavior';
import type { Recompute } from '../../../src/core/memory/run';
import { LOGITS } from '../../../src/core/memory/terms';
import { memoryRun, peakOf, playedLlama, smallLlama } from './support';

type Checkpointing = Recompute['checkpointing'];

const asked: BehaviorOf = {
  framework: { id: 'torchtune', name: 'torchtune', version: '0.3.1' },
  modelType: 'llama',
  loss: null,
  preference: false,
  task: 'sft',
  sequenceParallel: null,
  expandableSegments: null,
  kernels: [],
  attention: 'sdpa',
};

const { rows, tokens } = memoryRun().batch;
const logits = rows * tokens * smallLlama.vocabSize;
const plain = memoryRun().behavior;
const heldBy = (loss: LossCode): number =>
  peakOf(playedLlama({ behavior: { ...plain, loss } }), 'forward', LOGITS);

describe('memory: torch.compile', () => {
  it('keeps 16-bit logits, and what norms, rotations and gates are made of', () => {
    const { loss, kernels, compiles } = behaviorOf({ ...asked, loss: 'standard', compile: true });
    assert.deepEqual(loss, { kind: 'cross-entropy', upcast: 'never', shift: 'labels', kernel: 'compiled' });
    assert.ok(compiles && kernels.rmsNorm && kernels.rotary && kernels.gatedMlp);
  });

  it('leaves the loss as it is where a release compiles the model alone', () => {
    const of = (version: string): unknown => {
      const framework = { ...asked.framework, version };
      return behaviorOf({ ...asked, framework, compile: true }).loss;
    };
    const whole = {
      kind: 'cross-entropy',
      upcast: 'in forward',
      shift: 'copies',
      kernel: 'torch, by column',
    };
    assert.deepEqual(of('0.2.1'), whole);
    assert.deepEqual(of('0.3.1'), { kind: 'in parts', made: 'before', parts: 8, compiled: true });
  });

  it('leaves losses alone that are kernels of their own', () => {
    const { loss } = behaviorOf({ ...asked, loss: 'liger', compile: true });
    assert.equal(loss.kind, 'fused linear');
  });

  it('makes a run smaller', () => {
    const bytes = (compile: boolean): number => {
      const behavior = behaviorOf({ ...asked, loss: 'standard', compile });
      return peakOf(playedLlama({ behavior }), 'forward');
    };
    assert.ok(bytes(true) < 0.8 * bytes(false), `${bytes(true)} of ${bytes(false)}`);
  });
});

describe('memory: fused gates', () => {
  it('free nothing twice where a checkpoint made their inputs again', () => {
    const held = (kernels: readonly string[], compile: boolean, checkpointing: Checkpointing): number => {
      const behavior = behaviorOf({ ...asked, loss: 'standard', kernels, compile });
      return peakOf(playedLlama({ behavior, checkpointing }), 'optimizer step');
    };
    for (const checkpointing of ['none', 'reentrant', 'non-reentrant'] as const) {
      const plain = held([], false, checkpointing);
      assert.equal(held([], true, checkpointing), plain, `compiled, ${checkpointing}`);
      assert.equal(
        held(['liger_glu', 'liger_rms_norm'], false, checkpointing),
        plain,
        `Liger, ${checkpointing}`,
      );
    }
  });
});

describe('memory: losses of parts of the logits', () => {
  const code = { kind: 'in parts', parts: 8, compiled: false } as const;

  it('are what torchtune’s two classes of losses do', () => {
    const of = (loss: string): unknown => behaviorOf({ ...asked, loss }).loss;
    assert.deepEqual(of('chunked_output'), { ...code, made: 'before' });
    assert.deepEqual(of('linear_cross_entropy'), { ...code, made: 'within' });
  });

  it('keep fp32 log-probabilities of all parts, next to 16-bit logits that were made before', () => {
    const [before, within] = [heldBy({ ...code, made: 'before' }), heldBy({ ...code, made: 'within' })];
    const part = logits / 8;
    assert.ok(before >= logits * 6 && before < logits * 6 + part * 8 + 4096 * 8, `${before / logits}`);
    assert.ok(within >= logits * 4 && within < logits * 4 + part * 8 + 4096 * 8, `${within / logits}`);
  });

  it('keep the 16-bit logits alone where they are compiled', () => {
    const held = heldBy({ ...code, made: 'before', compiled: true });
    assert.ok(held >= logits * 2 && held < logits * 2.2, `${held / logits}`);
  });

  it('are in fp32 in the hands of litgpt’s loop', () => {
    const { loss } = behaviorOf({
      ...asked,
      framework: { id: 'litgpt', name: 'litgpt', version: null },
      loss: 'chunked_output',
    });
    assert.ok(loss.kind === 'in parts' && loss.made === 'before, in fp32');
    assert.ok(heldBy(loss) >= logits * 8);
  });
});
