import assert from 'node:assert/strict';
import { withEta } from '../../../src/core/output/progress/eta';
import { readProgress } from '../../../src/core/output/progress/reader';

const states = (...lines: readonly string[]) => readProgress(lines.join('\n')).states;

const seen = (...steps: readonly (readonly [number, number])[]) =>
  steps.map(([step, seconds]) => ({ step, timeMs: seconds * 1000 }));

describe('time left', () => {
  it('comes from the rate that is printed', () => {
    const last = { step: 100, totalSteps: 1100 };
    assert.equal(withEta([{ ...last, stepsPerSecond: 2 }], [])?.etaSeconds, 500);
    assert.equal(withEta([{ ...last, secondsPerStep: 4 }], [])?.etaSeconds, 4000);
  });

  it('comes from the steps that were seen, where nothing prints a rate', () => {
    const told = states('step 10/1000 loss 2.5', 'step 20/1000 loss 2.4', 'step 30/1000 loss 2.3');
    assert.equal(told.at(-1)?.totalSteps, 1000);
    assert.equal(withEta(told, seen([10, 0], [20, 10], [30, 20]))?.etaSeconds, 970);
  });

  it('is what the program prints, where it does', () => {
    const own = { step: 5, totalSteps: 10, etaSeconds: 77, stepsPerSecond: 1 };
    assert.equal(withEta([own], [])?.etaSeconds, 77);
    // A line of an evaluation between those with a time has a total of its own.
    assert.equal(withEta([own, { step: 6, totalSteps: 10, stepsPerSecond: 1 }], [])?.etaSeconds, undefined);
  });

  it('is not guessed without data', () => {
    const none = [
      [{ loss: 1 }],
      [{ step: 5, stepsPerSecond: 1 }],
      [{ step: 5, totalSteps: 10 }],
      [{ step: 12, totalSteps: 10, stepsPerSecond: 1 }],
      [{ step: 5, totalSteps: 10, stepsPerSecond: 0 }],
      // Steps of an epoch: the number of following epochs is unknown.
      [
        { step: 10, totalSteps: 10, stepsPerSecond: 1 },
        { step: 1, totalSteps: 10, stepsPerSecond: 1 },
      ],
      [{ step: 1, epoch: 2, totalSteps: 10, stepsPerSecond: 1 }],
      [
        { step: 1, totalSteps: 10, stepsPerSecond: 1 },
        { step: 2, totalSteps: 50, stepsPerSecond: 1 },
      ],
    ];
    for (const one of none) assert.equal(withEta(one, [])?.etaSeconds, undefined, JSON.stringify(one));
    assert.equal(withEta([], []), null);
    const short = seen([1, 0], [2, 1]);
    assert.equal(withEta([{ step: 2, totalSteps: 9 }], short)?.etaSeconds, undefined);
  });
});
