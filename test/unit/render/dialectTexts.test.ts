// What dialects say of keys and values, in the window's language.
import assert from 'node:assert/strict';
import { definitionNoteAt, noteBelow } from '../../../src/core/dialects/keyNotes';
import type { KeyNote } from '../../../src/core/dialects/keyNotes';
import { suggestionsAt } from '../../../src/core/dialects/defined/complete';
import { dialects } from '../../../src/core/dialects/registry';
import { keyNote } from '../../../src/core/render/keyNote';
import { told } from '../../../src/core/text/say';
import { configs, readFixture } from '../../golden/configs';
import { someOf } from '../../tries';
import { translated } from './invented';

/** A sentence, as opposed to a name, a number or the place of a fact. */
const isSentence = (text: string): boolean => / \p{Ll}{2}/u.test(text);

const isUntold = (text: string): boolean => isSentence(text) && told(translated, text) === text;

/** What a note says in words of its own. */
const wordsOf = ({ text, defaults }: KeyNote): readonly string[] => [
  ...(text === null ? [] : [text]),
  ...defaults.map(({ value }) => value),
];

describe('help on keys in another language', () => {
  it('has each text of each dialect', () => {
    const notes = dialects.flatMap(one =>
      Object.keys(one.help ?? {}).flatMap(key => noteBelow(one, key.split('.')) ?? []),
    );
    assert.ok(notes.length > 800);
    assert.deepEqual(notes.flatMap(wordsOf).filter(isUntold), []);
  });

  it('is shown in it, with code and names as they are', () => {
    const axolotl = dialects.find(({ id }) => id === 'axolotl');
    const note = axolotl && noteBelow(axolotl, ['pad_to_sequence_len']);
    assert.ok(note);
    const { source } = keyNote(note, translated);
    assert.match(source, /Ｐａｄｓ ｅｖｅｒｙ ｒｏｗ/);
    assert.match(source, /`true`/);
    assert.match(source, /`ｔｒｕｅ ｗｉｔｈ ｓａｍｐｌｅ/);
    assert.doesNotMatch(source.replaceAll(/\([^()]*\)|`[^`]*`|\*\*[^*]*\*\*/g, ''), / [a-z]{2,}/);
  });

  it('has its sentences one by one', () => {
    const note = definitionNoteAt('quantities:\n  seqLen: { keys: a }\n', 15);
    assert.ok(note);
    const chinese = keyNote({ ...note, text: '一。二。' }).source;
    assert.match(chinese, /一。 二。$/);
  });

  it('is also that on the format of dialects', () => {
    const note = definitionNoteAt('quantities:\n  seqLen: { keys: a }\n', 15);
    assert.deepEqual(
      [note?.title, note?.text].filter(text => text && isUntold(text)),
      [],
    );
    const all = ['', 'quantities:\n  ', 'quantities:\n  seqLen:\n    ', 'help:\n  a:\n    '].flatMap(text =>
      suggestionsAt(text, text.length),
    );
    assert.ok(all.length > 40, String(all.length));
    assert.deepEqual(all.map(({ text }) => text).filter(isUntold), []);
  });
});

describe('reasons of values in another language', () => {
  it('are there for each value of a config', async () => {
    const readings = await Promise.all(someOf(configs, 8).map(readFixture));
    const origins = readings.flatMap(({ runs }) =>
      runs.flatMap(run => Object.values({ ...run.quantities, ...run.details }).map(({ origin }) => origin)),
    );
    const reasons = origins.flatMap(origin =>
      origin.kind === 'unresolved' ? [origin.why] : origin.kind === 'derived' ? [origin.formula] : [],
    );
    assert.ok(reasons.length > 200, String(reasons.length));
    assert.deepEqual([...new Set(reasons)].filter(isUntold), []);
  });
});
