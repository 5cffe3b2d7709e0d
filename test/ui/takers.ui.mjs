// Where no plan makes a run fit, the list says which GPU would take it, and Enter there chooses another.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { inVSCode } from './window.mjs';

const FILE = 'trl/qwen2.5-7b-sft.yaml';

inVSCode('a run that no plan makes fit', { workspace: 'media/sample' }, test => {
  test('says which GPU takes it', async vs => {
    const text = readFileSync(vs.path(FILE), 'utf8');
    writeFileSync(vs.path(FILE), text.replace('Qwen/Qwen2.5-7B', 'tiiuae/falcon-180B'));
    await vs.open(FILE);
    await vs.codeLenses(/does not fit/);
    await vs.command('Headroom: Optimize GPU Config');
    const rows = await vs.picks(/No plan makes it fit/);
    assert.match(rows.join('\n'), /it fits (?:one|\d+ ×) [^:]+: [\d.]+ GB of/);
  });
});
