import assert from 'node:assert/strict';
import { analyze } from '../../../src/core/analyse/analyse';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { running } from '../dialects/support';
import { target, worldWithModels } from './support';

const SERVE = 'vllm serve Qwen/Qwen3-8B --max-model-len 8192\n';

/** Files and folders, as a disk lists them. */
function namesIn(files: Readonly<Record<string, string>>, folder: string): readonly string[] {
  const start = folder === '' || folder === '.' ? '' : `${folder}/`;
  const inside = Object.keys(files).filter(path => path.startsWith(start));
  return [...new Set(inside.map(path => path.slice(start.length).split('/')[0] ?? ''))].toSorted();
}

async function runOf(
  files: Readonly<Record<string, string>>,
  file: string,
  installed: string | null = null,
): Promise<RunAnalysis> {
  const known = worldWithModels(files);
  const world = {
    ...known,
    files: { ...known.files, list: (folder: string) => Promise.resolve(namesIn(files, folder)) },
    installed: () => Promise.resolve(installed),
  };
  const options = { target: target('H100 SXM'), severities: {} };
  const { runs } = await analyze(file, files[file] ?? '', world, options, running);
  assert.ok(runs[0]);
  return runs[0];
}

const frameworkOf = async (...given: Parameters<typeof runOf>): Promise<string> => {
  const { version, from = 'nothing' } = (await runOf(...given)).run.framework;
  return `${version ?? ''} by ${from}`;
};

describe('the release that serves', () => {
  it('is the one that the commands install, else that of the image', async () => {
    const compose = `services:\n  llm:\n    image: vllm/vllm-openai:v0.9.2\n    command: --model Qwen/Qwen3-8B
    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 1, capabilities: [gpu]}]}}}\n`;
    assert.equal(
      await frameworkOf({ 'compose.yaml': compose }, 'compose.yaml'),
      '0.9.2 by image vllm/vllm-openai:v0.9.2',
    );
    const script = `#!/bin/sh\npip install vllm==0.8.5\n${SERVE}`;
    assert.equal(await frameworkOf({ 'serve.sh': script }, 'serve.sh'), '0.8.5 by install of vllm==0.8.5');
    const docker = '#!/bin/sh\ndocker run --gpus 1 vllm/vllm-openai:v0.7.3 --model Qwen/Qwen3-8B\n';
    assert.equal(await frameworkOf({ 'run.sh': docker }, 'run.sh'), '0.7.3 by image vllm/vllm-openai:v0.7.3');
  });

  it('is that of the project: its lock, its environment, else what is installed', async () => {
    const script = `#!/bin/sh\n${SERVE}`;
    const lock = '[[package]]\nname = "vllm"\nversion = "0.10.2"\n';
    const at = 'app/deploy/serve.sh';
    assert.equal(await frameworkOf({ [at]: script, 'app/uv.lock': lock }, at), '0.10.2 by uv.lock');
    const metadata = 'app/.venv/lib/python3.12/site-packages/vllm-0.11.0.dist-info/METADATA';
    assert.equal(await frameworkOf({ [at]: script, [metadata]: '' }, at), '0.11.0 by .venv (installed)');
    assert.equal(await frameworkOf({ [at]: script }, at, '0.12.0'), '0.12.0 by what is installed here');
    assert.match(await frameworkOf({ [at]: script }, at), /by nothing$/);
  });

  it('has its own defaults and its own cache', async () => {
    const served = async (release: string): Promise<readonly [share: number, tokens: number]> => {
      const { run, estimate } = await runOf(
        { 's.sh': `#!/bin/sh\npip install vllm==${release}\n${SERVE}` },
        's.sh',
      );
      return [run.details.memoryShare?.value ?? 0, estimate?.devices[0]?.served?.tokens ?? 0];
    };
    const [[before, fewer], [since, more]] = [await served('0.16.0'), await served('0.17.0')];
    assert.deepEqual([before, since], [0.9, 0.9]);
    // 24 bytes less for each of 1024 × 151,936 logits, at 144 KiB a token.
    assert.ok(Math.abs(more - fewer - 25_000) < 1500, `${more} and ${fewer}`);
    assert.equal((await served('0.21.0'))[0], 0.92);
  });
});
