import assert from 'node:assert/strict';
import { gemma4 } from '../../../src/core/memory/architectures/gemma4';
import { mllama } from '../../../src/core/memory/architectures/mllama';
import { play } from '../../../src/core/memory/timeline';
import { behaviorOf } from '../../../src/core/memory/frameworks/behavior/behaviorOf';
import type { MemoryRun } from '../../../src/core/memory/run';
import { fixture, memoryRun, modelOf, trainedIn } from './support';

interface Run {
  readonly title: string;
  readonly within: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly checkpointing: MemoryRun['recompute']['checkpointing'];
  readonly parameters: number;
  readonly bytes: Readonly<Record<string, number>>;
}

describe('memory: language models behind a tower alone', () => {
  // transformers 5.23 on fake tensors: a row of 1,024 words in bf16, forward, backward and AdamW.
  for (const { title, within, config, checkpointing, parameters, bytes } of fixture(
    'visionText',
  ) as readonly Run[]) {
    it(`${title}, ${checkpointing}: within ${100 * within} %`, () => {
      const model = modelOf(config);
      const architecture = [gemma4, mllama].find(({ modelTypes }) => modelTypes.includes(model.modelType));
      assert.ok(architecture);
      const behavior = behaviorOf({
        framework: {
          id: null,
          name: 'script',
          version: null,
          libraries: { transformers: '5.23.0' },
          stated: true,
        },
        modelType: model.modelType,
        loss: null,
        preference: false,
        task: null,
        sequenceParallel: null,
        expandableSegments: null,
        kernels: [],
        attention: 'sdpa',
      });
      const played = play(architecture, memoryRun({ model, checkpointing, behavior, rows: 1, tokens: 1024 }));
      assert.equal(trainedIn(played), parameters);
      const peaks = new Map<string, number>(played.phases.map(({ phase, peak }) => [phase, peak.bytes]));
      for (const [phase, expected] of Object.entries(bytes)) {
        const error = (peaks.get(phase) ?? 0) / expected - 1;
        assert.ok(Math.abs(error) < within, `${phase} ${error}`);
      }
    });
  }

  it('have the parameters that shapes give', () => {
    for (const { config, parameters } of fixture('visionText') as readonly Run[]) {
      const counted = modelOf(config).parameters?.total ?? 0;
      assert.ok(Math.abs(counted / parameters - 1) < 0.001, `${counted} ${parameters}`);
    }
  });
});
