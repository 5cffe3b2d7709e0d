// An unknown model: a known one of similar size stands in for it, chosen in the lens or with a fix, also for the
// command line.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inVSCode } from './window';

const CONFIG = `base_model: acme/qwen-own-7b
datasets:
  - path: tatsu-lab/alpaca
    type: alpaca
sequence_len: 2048
micro_batch_size: 1
gradient_accumulation_steps: 8
adapter: lora
lora_r: 8
lora_alpha: 16
lora_target_linear: true
`;

function withUnknownModel(folder: string): void {
  mkdirSync(join(folder, '.vscode'), { recursive: true });
  writeFileSync(join(folder, '.vscode/settings.json'), '{ "headroom.target.gpu": "RTX 4090" }');
  writeFileSync(join(folder, 'own.yaml'), CONFIG);
}

inVSCode('unknown model', { workspace: withUnknownModel }, test => {
  test('is estimated as a known model of similar size', async vs => {
    await vs.open('own.yaml');
    await vs.codeLenses(/Estimate as …/);
    const fixes = await vs.fixes('base_model', /Estimate as/);
    const models = fixes.filter(title => /config\.json|similar model|Describe|own code/.test(title));
    assert.equal(models.length, 4, fixes.join('\n'));
    await vs.shot('unknown-model-fixes', { keepMouse: true });
    await vs.page.keyboard.press('Escape');
    await vs.clickLens('Estimate as …');
    const rows = await vs.picks(/Qwen2\.5-7B/);
    assert.match(rows[0] ?? '', /qwen.*7\.\d+B parameters|qwen.*8\.\d+B parameters|qwen.*[67]\.\d+B/i);
    await vs.shot('unknown-model-estimate-as');
    await vs.pick('Qwen/Qwen2.5-7B');
    const description = '.headroom/models/qwen-own-7b.yaml';
    await vs.until('the description', () => existsSync(vs.path(description)));
    assert.match(vs.read(description), /like: "Qwen\/Qwen2\.5-7B"/);
    await vs.codeLenses(/GB of 24 GB/);
    await vs.shot('unknown-model-estimated');
  });
});
