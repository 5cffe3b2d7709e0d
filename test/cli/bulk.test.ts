import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axolotl } from '../unit/core/support';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

interface Row {
  readonly file: string;
  readonly verdict: string;
  readonly reached: boolean;
  readonly plan: { readonly edits: readonly { readonly path: string }[] } | null;
  readonly applied?: readonly { readonly path: string; readonly backup: string }[];
}

const rowsOf = (out: string): readonly Row[] => (JSON.parse(out) as { files: readonly Row[] }).files;

const SMALL = axolotl({ base_model: 'TinyLlama/TinyLlama-1.1B-Chat-v1.0', micro_batch_size: 1 });
const HUGE = axolotl({ base_model: 'tiiuae/falcon-180B', sequence_len: 256, micro_batch_size: 1 });

describe('headroom optimize with many configs', () => {
  it('prints a row per config, and a total', () => {
    mkdirSync(join(folder(), 'configs'));
    file('configs/large.yaml', axolotl());
    file('configs/small.yaml', SMALL);
    file('configs/notes.yaml', 'title: nothing of ours\n');
    const { code, out, err } = headroom('optimize', 'configs', '--gpu', 'RTX 4090');
    assert.equal(err, '');
    assert.equal(code, 0);
    assert.match(
      out,
      /\| configs\/large\.yaml +\| [\d.]+ GB, does not fit \| .*: −[\d.]+ GB.*\| [\d.]+ GB, /,
    );
    assert.match(out, /\| configs\/small\.yaml +\| [\d.]+ GB, fits +\| already fits/);
    assert.match(out, /^2 configs: 1 without changes, 1 with a plan$/m);
  });

  it('exits with 1 if one fits nowhere, 2 if one is unknown, 3 for bad input', () => {
    file('small.yaml', SMALL);
    file('huge.yaml', HUGE);
    file('open.yaml', axolotl({ base_model: 'somebody/their-own-model' }));
    const codeOf = (...names: string[]) => headroom('optimize', ...names, '--gpu', '24GB').code;
    assert.equal(codeOf('small.yaml', 'huge.yaml', 'open.yaml'), 1);
    assert.equal(codeOf('small.yaml', 'open.yaml'), 2);
    assert.equal(codeOf('small.yaml', 'nowhere.yaml'), 3);
    assert.equal(codeOf('*.yml', 'small.yaml'), 3);
  });

  it('applies each plan completely with backups, and each can be undone', () => {
    const texts = { 'a.yaml': axolotl(), 'b.yaml': axolotl({ micro_batch_size: 16 }), 'c.yaml': SMALL };
    for (const [name, text] of Object.entries(texts)) file(name, text);
    const { code, out } = headroom('optimize', '*.yaml', '--gpu', 'RTX 4090', '--apply', '--json');
    assert.equal(code, 0);
    const rows = rowsOf(out);
    assert.deepEqual(
      rows.map(row => [row.file, row.applied?.length ?? 0]),
      [
        ['a.yaml', 1],
        ['b.yaml', 1],
        ['c.yaml', 0],
      ],
    );
    assert.ok(existsSync(join(folder(), 'a.yaml.backup')));
    assert.equal(headroom('check', '.', '--gpu', 'RTX 4090').code, 0);
    for (const name of ['a.yaml', 'b.yaml']) assert.equal(headroom('optimize', name, '--undo').code, 0);
    for (const [name, text] of Object.entries(texts)) {
      assert.equal(readFileSync(join(folder(), name), 'utf8'), text);
    }
  });

  it('refuses options for a single config', () => {
    file('a.yaml', SMALL);
    file('b.yaml', SMALL);
    const { code, err } = headroom('optimize', 'a.yaml', 'b.yaml', '--undo');
    assert.equal(code, 3);
    assert.match(err, /--undo takes one file/);
  });
});
