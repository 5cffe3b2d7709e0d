import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

type Texts = Readonly<Record<string, string>>;

const textsOf = (path: string): Texts => JSON.parse(readFileSync(path, 'utf8')) as Texts;

/** What a translation takes over unchanged: placeholders, code, and the targets of links. */
const kept = (text: string): readonly string[] =>
  (text.match(/\{[^{}]+\}|`[^`]*`|command:[\w.]+(?:\?[\w%]+)?|https?:\/\/[\w.:/]*\w/g) ?? []).toSorted();

/** The translations next to a file of texts, by language. */
function translations(folder: string, name: string): readonly (readonly [language: string, texts: Texts])[] {
  const own = new RegExp(`^${name.replaceAll('.', '\\.')}\\.([a-z-]+)\\.json$`);
  return readdirSync(folder).flatMap(file => {
    const [, language] = own.exec(file) ?? [];
    return language === undefined ? [] : [[language, textsOf(join(folder, file))] as const];
  });
}

const TEXTS: readonly (readonly [folder: string, name: string])[] = [
  ['.', 'package.nls'],
  ['l10n', 'bundle.l10n'],
];

describe('translations', () => {
  for (const [folder, name] of TEXTS) {
    it(`of ${name} are complete, and keep placeholders, code and links`, () => {
      const english = textsOf(join(folder, `${name}.json`));
      const all = translations(folder, name);
      assert.ok(all.some(([language]) => language === 'zh-cn'));
      for (const [language, texts] of all) {
        assert.deepEqual(Object.keys(texts).toSorted(), Object.keys(english).toSorted(), language);
        for (const [key, text] of Object.entries(english)) {
          assert.deepEqual(kept(texts[key] ?? ''), kept(text), `${language}: ${key}`);
          assert.notEqual(texts[key]?.trim(), '', `${language}: ${key}`);
        }
      }
    });
  }

  it('exist in the same languages for the manifest and the program', () => {
    const [manifest = [], program = []] = TEXTS.map(([folder, name]) =>
      translations(folder, name).map(([language]) => language),
    );
    assert.deepEqual(manifest, program);
  });
});
