import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LocalHub } from '../unit/hub/localHub';
import { file, folder, inTemporaryFolder } from './headroom';

const CONFIG = `base_model: somebody/unheard-of
adapter: lora
lora_r: 16
lora_alpha: 32
lora_target_linear: true
datasets: [{path: a, type: alpaca}]
sequence_len: 512
micro_batch_size: 1
gradient_accumulation_steps: 1
optimizer: adamw_torch
bf16: true
flash_attention: true
num_epochs: 1
`;
const LLAMA = JSON.stringify({
  model_type: 'llama',
  hidden_size: 2048,
  intermediate_size: 5632,
  num_hidden_layers: 22,
  num_attention_heads: 32,
  num_key_value_heads: 4,
  vocab_size: 32000,
});

interface Run {
  readonly code: number;
  readonly out: string;
}

describe('headroom --download', function () {
  this.timeout(60_000);
  inTemporaryFolder();
  let hub: LocalHub;
  before(async () => {
    hub = await LocalHub.open({ '/somebody/unheard-of/resolve/main/config.json': LLAMA });
  });
  after(() => hub.close());

  /** Not at once as elsewhere: the hub answers in this process. */
  const headroom = (args: readonly string[], more: Record<string, string> = {}): Promise<Run> =>
    new Promise(done => {
      const env = {
        ...process.env,
        HF_ENDPOINT: hub.address,
        HF_HOME: join(folder(), 'hf'),
        HEADROOM_CACHE: join(folder(), 'cache'),
        ...more,
      };
      const argv = [resolve('dist/cli.js'), ...args];
      execFile(process.execPath, argv, { cwd: folder(), env, timeout: 50_000 }, (error, out, err) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, out: out + err }),
      );
    });

  it('asks nothing without it, and finds with it what is kept for the next call', async () => {
    file('run.yaml', CONFIG);
    const check = ['check', 'run.yaml', '--gpu', '24GB'];
    const before = await headroom(check);
    assert.equal(before.code, 2);
    assert.match(before.out, /--download/);
    assert.equal(hub.asked.length, 0);
    const asked = await headroom([...check, '--download']);
    assert.match(asked.out, /GB of 24 GB · fits/);
    assert.equal(asked.code, 0);
    assert.ok(existsSync(join(folder(), 'cache/hub/models--somebody--unheard-of/downloaded.json')));
    const after = await headroom(check);
    assert.match(after.out, /GB of 24 GB · fits/);
    assert.equal(hub.asked.length, 1);
  });

  it('says why nothing came, and still what is known', async () => {
    file('run.yaml', CONFIG);
    const offline = await headroom(['explain', 'run.yaml', '--gpu', '24GB', '--download'], {
      HF_HUB_OFFLINE: '1',
    });
    assert.match(
      offline.out,
      /^Couldn't download config\.json of somebody\/unheard-of: HF_HUB_OFFLINE is set\.$/m,
    );
    assert.equal(offline.code, 2);
    assert.match(offline.out, /sequence length +\| 512/);
  });
});
