import assert from 'node:assert/strict';
import fc from 'fast-check';
import { applyEdits } from '../../../src/core/text/textEdit';
import type { TextEdit } from '../../../src/core/text/textEdit';
import { backupName, inverseEdits } from '../../../src/editor/optimize/undoRecord';

/** A text and its non-overlapping edits. */
const edited = fc
  .array(fc.record({ kept: fc.string(), old: fc.string(), text: fc.string() }), { maxLength: 8 })
  .map(parts => {
    let text = '';
    const edits: TextEdit[] = [];
    for (const part of parts) {
      const start = text.length + part.kept.length;
      edits.push({ span: { start, end: start + part.old.length }, text: part.text });
      text += part.kept + part.old;
    }
    return { text, edits };
  });

describe('undo records', () => {
  it('undo every set of edits byte for byte', () => {
    fc.assert(
      fc.property(edited, ({ text, edits }) => {
        const after = applyEdits(text, edits);
        assert.equal(applyEdits(after, inverseEdits(text, edits)), text);
      }),
    );
  });

  it('hold only what was replaced', () => {
    const text = 'a: 4\nb: 8\n';
    const edits = [
      { span: { start: 8, end: 9 }, text: '16' },
      { span: { start: 3, end: 4 }, text: '20' },
    ];
    assert.deepEqual(inverseEdits(text, edits), [
      { span: { start: 3, end: 5 }, text: '4' },
      { span: { start: 9, end: 11 }, text: '8' },
    ]);
  });
});

describe('backup names', () => {
  it('count up from the plain one', () => {
    const names = [0, 1, 2, 10].map(n => backupName('/conf/config.yaml', n));
    assert.deepEqual(names, [
      '/conf/config.yaml.backup',
      '/conf/config.yaml.backup.1',
      '/conf/config.yaml.backup.2',
      '/conf/config.yaml.backup.10',
    ]);
  });
});
