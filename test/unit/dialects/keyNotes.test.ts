import assert from 'node:assert/strict';
import { definitionNoteAt, keyNoteAt } from '../../../src/core/dialects/keyNotes';
import { keyNote } from '../../../src/core/render/keyNote';

const TORCHTUNE = 'batch_size: 2\nmodel:\n  lora_rank: 8\noptimizer_in_bwd: \ndtype: bf16 # bf16 or fp32\n';

describe('notes on keys', () => {
  const at = (word: string, dialect = 'torchtune', text = TORCHTUNE) =>
    keyNoteAt(dialect, text, text.indexOf(word));

  it('say what a nested key does and what holds without it', () => {
    const note = at('lora_rank');
    assert.equal(note?.key, 'model.lora_rank');
    assert.match(note.text ?? '', /adapters/);
    assert.deepEqual(note.defaults, [{ value: '8', since: null, source: 'torchtune' }]);
    assert.equal(TORCHTUNE.slice(note.keySpan.start, note.keySpan.end), 'lora_rank');
  });

  it('find the key of a value that is still to be typed', () => {
    assert.deepEqual(keyNoteAt('torchtune', TORCHTUNE, TORCHTUNE.indexOf('\ndtype'))?.values, [
      'True',
      'False',
    ]);
  });

  it('name defaults by release, the newest first', () => {
    const note = at('gradient_checkpointing', 'hf-trl', 'gradient_checkpointing: true\n');
    assert.deepEqual(
      note?.defaults.map(({ value, since }) => [value, since]),
      [
        ['true', '0.22.0'],
        ['false', null],
      ],
    );
    assert.ok(note);
    assert.match(keyNote(note).source, /`true` since 0.22.0/);
  });

  it('show the keys that a note names as code', () => {
    const note = at('pad_to_sequence_len', 'axolotl', 'pad_to_sequence_len: true\n');
    assert.ok(note);
    assert.match(keyNote(note).source, /Pads every row to `sequence_len`: each step/);
  });

  it('know keys in a section of the user’s own', () => {
    const note = at(
      'gradient_accumulation_steps',
      'hf-trainer',
      'train:\n  gradient_accumulation_steps: 4\n',
    );
    assert.equal(note?.key, 'train.gradient_accumulation_steps');
  });

  it('know keys below the name of a profile', () => {
    const note = at('embedding_dim', 'fuxictr', 'DCNv2_criteo:\n  embedding_dim: 16\n');
    assert.equal(note?.key, 'DCNv2_criteo.embedding_dim');
    assert.match(note.text ?? '', /Tables/);
  });

  it('are none of keys that nobody knows, and of no dialect', () => {
    assert.equal(at('mine', 'torchtune', 'mine: 1\n'), null);
    assert.equal(at('batch_size', 'no-such-dialect'), null);
    assert.equal(at('batch_size', 'torchtune', 'x: "batch_size\n'), null);
  });

  it('are plain text: nothing of a config becomes a link', () => {
    const note = {
      title: 'X',
      key: '[a](b)',
      keySpan: { start: 0, end: 1 },
      text: '<b>',
      quantity: null,
      values: [],
      defaults: [],
    };
    assert.doesNotMatch(keyNote({ ...note, scope: null }).source, /(?<!\\)[[<]/);
  });

  it('are none for names that every object has', () => {
    for (const name of ['toString', 'constructor', '__proto__']) {
      assert.equal(definitionNoteAt(`${name}: 1\n`, 2), null);
    }
  });
});
