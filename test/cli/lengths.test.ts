import assert from 'node:assert/strict';
import { existsSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { writeTinyModel } from '../unit/embed/tinyModel';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const DATA = 'datasets:\n  - {path: rows.jsonl, type: completion}\n';
const config = axolotl({ sample_packing: false, sequence_len: 8192 }) + DATA;

const rows = (...words: readonly number[]): string =>
  words.map(n => `${JSON.stringify({ text: 'gpu '.repeat(n) })}\n`).join('');

interface Told {
  readonly schema: string;
  readonly runs: readonly {
    readonly refused?: readonly string[];
    readonly rows?: number;
    readonly tokenizer?: string | null;
    readonly tokens?: { readonly longest: { readonly expected: number } };
    readonly use?: string;
    readonly longest?: number;
    readonly estimate?: { readonly bytes: { readonly expected: number } } | null;
  }[];
}

const told = (...args: readonly string[]): Told =>
  JSON.parse(headroom('lengths', ...args, '--json').out) as Told;

describe('headroom lengths', () => {
  it("counts a config's data by bytes if the tokenizer is missing, and says so", () => {
    file('a.yaml', config);
    file('rows.jsonl', rows(10, 100));
    const { code, out, err } = headroom('lengths', 'a.yaml', '--gpu', '24GB');
    assert.equal(code, 0, err);
    assert.match(out, /2 rows of rows\.jsonl: mean about 55 tokens/);
    assert.match(out, /tokenizer isn't on this machine: token counts assume 4 bytes per token/);
    assert.match(err, /Stored in .*\.headroom[/\\]lengths\.jsonl/);
  });

  it("counts with a named tokenizer, and check shows the data's answer next to the limit's", () => {
    file('a.yaml', config);
    file('rows.jsonl', rows(10, 100));
    writeTinyModel(join(folder(), 'tiny'));
    const [run] = told('a.yaml', '--tokenizer', 'tiny', '--gpu', '24GB').runs;
    assert.deepEqual(
      [run?.rows, run?.tokens?.longest.expected, run?.use, run?.longest],
      [2, 102, 'longest', 128],
    );
    const checked = headroom('check', 'a.yaml', '--gpu', '24GB');
    assert.equal(checked.code, 1, 'the limit decides what a build fails by');
    assert.match(
      checked.out,
      /No row is longer than 128 tokens, and the longest batch sets the peak: with this data ≈ /,
    );
    assert.match(checked.out, /limit-above-data/);
    assert.match(headroom('explain', 'a.yaml', '--gpu', '24GB').out, /2 rows of rows\.jsonl: mean 57 tokens/);
  });

  it("writes conversations with the tokenizer's chat template if the config names no other", () => {
    const talk = (template: string) =>
      axolotl({ sample_packing: false, sequence_len: 8192 }) +
      `datasets:\n  - {path: rows.jsonl, type: chat_template${template}}\n`;
    file('a.yaml', talk(''));
    file('b.yaml', talk(', chat_template: chatml'));
    const messages = [{ role: 'user', content: 'gpu memory' }];
    file('rows.jsonl', `${JSON.stringify({ messages })}\n`);
    writeTinyModel(join(folder(), 'tiny'));
    const text = (template: string) => JSON.stringify({ chat_template: template });
    file('tiny/tokenizer_config.json', text('{% for m in messages %}a the {{ m.content }}{% endfor %}'));
    const own = headroom('lengths', 'a.yaml', '--tokenizer', 'tiny');
    assert.match(own.out, /longest 4\./, 'without the tokens at both ends, which a template writes');
    assert.match(
      own.out,
      /Tokenized with the tokenizer of tiny, messages formatted with its chat template\.$/m,
    );
    const named = headroom('lengths', 'b.yaml', '--tokenizer', 'tiny').out;
    assert.match(named, /longest 5\.[^]*messages in role names format; text that the chat template adds/);
    file('tiny/tokenizer_config.json', text('{% for %}'));
    const broken = headroom('lengths', 'a.yaml', '--tokenizer', 'tiny').out;
    assert.match(broken, /longest 5\.[^]*its chat template failed \(it could not be parsed: /);
  });

  it('reuses earlier counts until the files change', () => {
    file('a.yaml', config);
    file('rows.jsonl', rows(10));
    assert.match(headroom('lengths', 'a.yaml').err, /Stored in/);
    assert.doesNotMatch(headroom('lengths', 'a.yaml').err, /Stored in/);
    assert.match(headroom('lengths', 'a.yaml', '--again').err, /Stored in/);
    const path = join(folder(), 'rows.jsonl');
    utimesSync(path, new Date(1e12), new Date(1e12));
    assert.match(headroom('explain', 'a.yaml').out, /The data changed after the count of/);
    assert.match(headroom('lengths', 'a.yaml').err, /Stored in/);
    const kept = readFileSync(join(folder(), '.headroom/lengths.jsonl'), 'utf8');
    assert.equal(kept.split('\n').filter(Boolean).length, 1, 'one line for the same data');
  });

  it('stores nothing on request, and nothing for data alone', () => {
    file('a.yaml', config);
    file('rows.jsonl', rows(10));
    headroom('lengths', 'a.yaml', '--no-keep');
    const { code, out } = headroom('lengths', 'rows.jsonl', '--limit', '5');
    assert.equal(code, 0);
    assert.match(out, /1 row of rows\.jsonl/);
    assert.equal(existsSync(join(folder(), '.headroom')), false);
  });

  it('reports what is missing in a sentence, with exit code 2', () => {
    file('a.yaml', config);
    const { code, out } = headroom('lengths', 'a.yaml');
    assert.equal(code, 2);
    assert.match(out, /^a\.yaml: couldn't count tokens: dataset rows\.jsonl isn't on this machine/);
    file('b.yaml', axolotl());
    assert.match(headroom('lengths', 'b.yaml').out, /it sets no dataset that Headroom can find/);
    assert.deepEqual(told('a.yaml').runs[0]?.refused?.length, 1);
    assert.equal(headroom('lengths', 'nowhere.yaml').code, 3);
    file('rows.jsonl', rows(1));
    const named = headroom('lengths', 'a.yaml', '--tokenizer', 'org/none');
    assert.equal(named.code, 3);
    assert.match(named.err, /--tokenizer org\/none: no tokenizer\.json on this machine/);
  });
});
