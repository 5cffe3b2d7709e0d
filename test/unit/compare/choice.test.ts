import assert from 'node:assert/strict';
import { choiceOf, choiceText, chosenPlace } from '../../../src/core/compare/choice';
import { machinePlaces, typePlace } from '../../../src/core/compare/place';
import type { Place } from '../../../src/core/compare/place';
import { target, theGpus } from '../core/support';

const on = (kind: 'local' | 'ssh', name: string, gpu: string, count: number, busyMiB: number): Place[] => [
  ...machinePlaces(kind, { id: `${kind}:${name}`, name }, [{ ...target(gpu, count), busyMiB }], null),
];

const places: readonly Place[] = [
  ...on('local', 'This machine', 'RTX 4090', 1, 500),
  ...on('ssh', 'box', 'A100 80GB PCIe', 2, 0),
  ...on('ssh', 'box', 'A100 80GB PCIe', 6, 70_000),
  ...on('ssh', 'old', 'RTX 4090', 1, 0),
];

describe('a place as a setting', () => {
  it('survives a round trip', () => {
    for (const place of places) {
      const text = choiceText(place, theGpus);
      const choice = choiceOf(text);
      assert.equal(chosenPlace(choice, target(choice.gpu), places), place, text);
    }
  });

  it('is a name that people can write', () => {
    const texts = [...places, typePlace(target('H100'))].map(place => choiceText(place, theGpus));
    assert.deepEqual(texts, [
      'RTX 4090 @ this machine',
      '2x A100 80GB PCIe @ box',
      '6x A100 80GB PCIe @ box',
      'RTX 4090 @ old',
      'H100 SXM',
    ]);
  });

  it('is an amount of memory where the catalog does not know the GPU', () => {
    const [place] = machinePlaces(
      'ssh',
      { id: 'ssh:lab', name: 'lab' },
      [{ ...target('24GB', 1), name: 'Prototype X' }],
      null,
    );
    assert.ok(place);
    assert.equal(choiceText(place, theGpus), '24GB @ lab');
    assert.equal(chosenPlace(choiceOf('24GB @ lab'), target('24GB'), [place]), place);
  });

  it('is ignored if the place no longer exists', () => {
    assert.equal(chosenPlace(choiceOf('RTX 4090 @ box'), target('RTX 4090'), places), null);
    assert.equal(chosenPlace(choiceOf('RTX 4090'), target('RTX 4090'), places), null);
    assert.deepEqual(choiceOf(' 24 GB '), { gpu: '24 GB', where: null });
  });
});
