import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdits } from '../../../src/core/text/textEdit';
import { takenEdits } from '../../../src/core/text/taken';
import type { TextEdit } from '../../../src/core/text/textEdit';

/** A text, its non-overlapping edits, and which of them are taken. */
const chosen = fc
  .array(fc.record({ kept: fc.string(), old: fc.string(), text: fc.string(), isTaken: fc.boolean() }), {
    maxLength: 7,
  })
  .map(parts => {
    let text = '';
    const edits: TextEdit[] = [];
    for (const part of parts) {
      const start = text.length + part.kept.length;
      edits.push({ span: { start, end: start + part.old.length }, text: part.text });
      text += part.kept + part.old;
    }
    return { text: `${text}\n`, edits, taken: parts.map(({ isTaken }) => isTaken) };
  });

const CONFIG = 'micro_batch_size: 4\ngradient_accumulation_steps: 4\nlr: 4\n';
const EDITS = [
  { span: { start: 49, end: 50 }, text: '16' },
  { span: { start: 18, end: 19 }, text: '1' },
  { span: { start: 0, end: 0 }, text: '# before: 4\n' },
];

describe('edits that a text has', () => {
  it('make the same text again, whichever of them were taken', () => {
    fc.assert(
      fc.property(chosen, ({ text, edits, taken }) => {
        const after = applyEdits(
          text,
          edits.filter((_, i) => taken[i]),
        );
        const found = takenEdits(text, edits, after);
        assert.ok(found);
        assert.equal(
          applyEdits(
            text,
            edits.filter((_, i) => found[i]),
          ),
          after,
        );
      }),
    );
  });

  it('are told one by one, in their own order', () => {
    const after = 'micro_batch_size: 1\ngradient_accumulation_steps: 4\nlr: 4\n';
    assert.deepEqual(takenEdits(CONFIG, EDITS, after), [false, true, false]);
    assert.deepEqual(takenEdits(CONFIG, EDITS, CONFIG), [false, false, false]);
    assert.deepEqual(takenEdits(CONFIG, EDITS, applyEdits(CONFIG, EDITS)), [true, true, true]);
  });

  it('are not guessed where something else was done', () => {
    assert.equal(takenEdits(CONFIG, EDITS, `${CONFIG}# mine\n`), null);
    assert.equal(takenEdits(CONFIG, EDITS, CONFIG.replace('lr: 4', 'lr: 5')), null);
  });
});
