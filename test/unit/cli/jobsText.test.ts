import assert from 'node:assert/strict';
import { progressText } from '../../../src/cli/jobs/text';

const NOW_MS = 1_000_000;
const training = { kind: 'train', startedMs: NOW_MS - 120_000 } as const;

describe('progress of a job in headroom jobs', () => {
  it('is step, rate and time left as the output says them', () => {
    const said = { step: 1240, totalSteps: 5000, secondsPerStep: 1.25, etaSeconds: 4700 };
    assert.equal(
      progressText(training, said, NOW_MS),
      '1,240 of 5,000 steps · 1.25 s/step · 1 h 18 min left',
    );
  });

  it('takes the rate from the time since the start where the output has none', () => {
    const said = { step: 60, totalSteps: 90 };
    assert.equal(progressText(training, said, NOW_MS), '60 of 90 steps · 2 s/step · 1 min 00 s left');
  });

  it('shows what was computed beside what the output says, in its unit', () => {
    const job = { ...training, pace: { low: 0.8, expected: 1, high: 2 } };
    const rate = (said: object): string | undefined =>
      progressText(job, { step: 60, ...said }, NOW_MS).split(' · ')[1];
    assert.equal(rate({ secondsPerStep: 1.25 }), '1.25 s/step, predicted 1 (0.8–2)');
    assert.equal(rate({ stepsPerSecond: 1.25 }), '1.25 steps/s, predicted 1 (0.5–1.3)');
    // The time since the start has loading in it.
    assert.equal(rate({}), '2 s/step');
  });

  it('says what is known only', () => {
    assert.equal(progressText(training, null, NOW_MS), '');
    assert.equal(progressText({ kind: 'train', startedMs: null }, { step: 7 }, NOW_MS), '7 steps');
    const texts = { step: 3000, totalSteps: 3000, stepsPerSecond: 150 };
    const embedding = { kind: 'embed', startedMs: null } as const;
    assert.equal(progressText(embedding, texts, NOW_MS), '3,000 of 3,000 texts · 150 texts/s');
  });

  it('has no rate if the clock was set back since the start', () => {
    const ahead = { kind: 'train', startedMs: NOW_MS + 60_000 } as const;
    assert.equal(progressText(ahead, { step: 60, totalSteps: 90 }, NOW_MS), '60 of 90 steps');
  });
});
