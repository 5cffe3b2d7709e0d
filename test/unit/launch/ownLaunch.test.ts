import assert from 'node:assert/strict';
import { launchOf, starterOfRun } from '../../../src/core/launch/launch';
import type { LaunchOptions } from '../../../src/core/launch/runLaunch';
import type { LaunchResult } from '../../../src/core/launch/runLaunch';
import { read } from '../dialects/support';

const OWN = ['node', '/ext/DIST/cli.js'];
const TEXTS = `embeddings:
  model: sentence-transformers/all-MiniLM-L6-v2
  batch_size: 32
  device: cuda
`;
const AXOLOTL = `base_model: NousResearch/Llama-3.2-1B
datasets: [{path: a, type: alpaca}]
adapter: lora
micro_batch_size: 2
sequence_len: 2048
output_dir: ./outputs/lora
`;

async function launched(file: string, text: string, more: Partial<LaunchOptions>): Promise<LaunchResult> {
  const { runs, file: opened, dialect } = await read({ [file]: text });
  const [run] = runs;
  assert.ok(run);
  return launchOf(run, { file: opened, dialect }, { gpus: 1, folder: '/w', ...more });
}

describe('what Headroom itself does with a config', () => {
  it('embeds its texts where no other program is known, and goes on where it was', async () => {
    const text = `${TEXTS}data: {path: texts.jsonl}\noutput: {path: vectors}\n`;
    const result = await launched('/w/conf/e.yaml', text, { own: OWN });
    assert.ok(result.ok);
    const { argv, resume, open, writes, isOwn } = result.launch;
    assert.deepEqual(argv, [...OWN, 'embed', 'conf/e.yaml', '--progress', 'line', '--verify']);
    assert.deepEqual(resume, [...argv, '--resume']);
    assert.deepEqual([open, writes, isOwn], [[], ['/w/conf/vectors'], true]);
  });

  it('asks for texts and vectors that the config does not name', async () => {
    const open = await launched('/w/e.yaml', TEXTS, { own: OWN });
    assert.ok(open.ok);
    assert.deepEqual([open.launch.open, open.launch.writes], [['{texts}', '{vectors}'], []]);
    const filled = { '{texts}': 'a b.txt', '{vectors}': 'v' };
    const whole = await launched('/w/e.yaml', TEXTS, { own: OWN, filled });
    assert.ok(whole.ok);
    assert.deepEqual(whole.launch.argv.slice(4, 8), ['--input', 'a b.txt', '--out', 'v']);
    assert.deepEqual([whole.launch.open, whole.launch.writes], [[], ['v']]);
  });

  it('is nothing where its command line is not', async () => {
    const result = await launched('/w/e.yaml', TEXTS, {});
    assert.ok(!result.ok);
    assert.match(result.why, /doesn.t know how to start this/);
  });

  it('finds out what a run takes, whatever starts it', async () => {
    const result = await launched('/w/lora.yml', AXOLOTL, { own: OWN, profiles: true });
    assert.ok(result.ok);
    assert.deepEqual(result.launch.argv, [...OWN, 'profile', 'lora.yml']);
    assert.deepEqual([result.launch.resume, result.launch.isOwn], [null, true]);
  });

  it('is told from what a framework does', async () => {
    const starterOf = async (text: string) => {
      const [run] = (await read({ '/w/c.yml': text })).runs;
      return run && starterOfRun(run);
    };
    assert.equal(await starterOf(TEXTS), 'engine');
    assert.equal(await starterOf(AXOLOTL), 'framework');
  });
});
