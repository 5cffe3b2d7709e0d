import assert from 'node:assert/strict';
import { cellText, lineInCells } from '../../../src/core/text/cells';

describe('a line of a notebook', () => {
  const cells = ['a\nb', 'c', 'd\ne\nf'];
  const text = cells.map(cellText).join('');

  it('is counted in its cell', () => {
    const lines = text.split('\n');
    const found = ['a', 'b', 'c', 'd', 'f'].map(code => lineInCells(text, lines.indexOf(code) + 1));
    assert.deepEqual(found, [
      'cell 1, line 1',
      'cell 1, line 2',
      'cell 2, line 1',
      'cell 3, line 1',
      'cell 3, line 3',
    ]);
  });

  it('is none in other files', () => {
    assert.equal(lineInCells('a: 1\n', 1), null);
  });
});
