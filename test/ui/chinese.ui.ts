// A window in Chinese: what core composes is said in the window's language, too.
import assert from 'node:assert/strict';
import { inVSCode } from './window';

const CONFIG = 'trl/qwen2.5-7b-sft.yaml';
const HAN = /\p{Script=Han}/u;

inVSCode('a window in Chinese', { workspace: 'media/sample', language: 'zh-cn' }, test => {
  test('says the verdict, the finding and its fixes in Chinese', async vs => {
    await vs.open(CONFIG);
    await vs.codeLenses(/26\.\d GB \/ 24 GB · 放不下 · RTX 4090/);
    const problems = await vs.problems(/does-not-fit/);
    assert.match(problems.join('\n'), /需要 ≈ 26\.\d GB，RTX 4090 有 24 GB。峰值在反向传播。/);
    const fixes = await vs.fixes('per_device_train_batch_size', /有效批 16 不变/);
    for (const title of fixes.filter(one => one.includes('GB'))) assert.match(title, HAN);
  });
});
