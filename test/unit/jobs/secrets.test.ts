import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { redactedArguments } from '../../../src/core/text/redact';
import { AllJobs } from '../../../src/jobs/allJobs';
import type { JobEngine } from '../../../src/jobs/engine';
import type { JobPlace, JobRecord, JobRequest } from '../../../src/jobs/job';
import { resumedRequest } from '../../../src/jobs/request';
import { sealed, withWords } from '../../../src/jobs/secrets';
import { startView } from '../../../src/jobs/startView';

const KEY = `sk-${'a1b2c3d4'.repeat(3)}`;
const ARGV = [
  'train',
  '--api-key',
  'planted-1',
  '--token=planted-2',
  `--note=${KEY}`,
  '--pad_token',
  '<pad>',
];
const SECRETS = ['planted-1', 'planted-2', KEY, 'planted-3', 'planted-4'];

const request = (place: JobPlace = { engine: 'local' }): JobRequest => ({
  kind: 'train',
  name: 'a.yaml',
  config: null,
  argv: ARGV,
  resume: [...ARGV, '--resume'],
  folder: '/work',
  environment: { MY_PASSWORD: 'planted-3', WANDB: 'https://me:planted-4@host', SEED: '1' },
  secrets: ['HF_TOKEN'],
  place,
  gpus: { count: 0, uuids: [], needBytes: null },
  limits: { timeMinutes: null, cpus: null, memoryMiB: null, array: null, requeue: false },
  estimate: null,
  writes: [],
});

const hasNone = (text: string): void => {
  for (const secret of SECRETS) assert.ok(!text.includes(secret), `${secret} in ${text}`);
};

describe('secrets of a job', () => {
  it('are recognized by names of options and variables, and by their form', () => {
    const shown = (...args: string[]) => redactedArguments(args).join(' ');
    assert.equal(
      shown('--api-key', 'x', '--password=y', '--env', 'A_TOKEN=z'),
      '--api-key … --password=… --env A_TOKEN=…',
    );
    assert.equal(
      shown('+trainer.wandb.api_key=x', 'model.token=y'),
      '+trainer.wandb.api_key=… model.token=…',
    );
    assert.equal(shown('--header', 'Authorization: Bearer abcdefgh12'), '--header Authorization: Bearer …');
    assert.equal(shown(`xAKIA`, `AKIA${'A1'.repeat(8)}`, `hf_${'a'.repeat(20)}`), 'xAKIA … …');
    const public_ = ['--pad_token', '<pad>', '--max-num-batched-tokens', '8192', '--use_auth_token', 'True'];
    assert.equal(shown(...public_), public_.join(' '));
    assert.equal(shown('--hub_token', '$HF_TOKEN'), '--hub_token $HF_TOKEN');
  });

  it('are in no text before the start and in no record, and can be restored', () => {
    const { request: open, kept } = sealed(request());
    hasNone(JSON.stringify(open));
    hasNone(JSON.stringify(startView(request(), { gpus: [], target: null, outlook: 'goes', also: [] })));
    assert.deepEqual(open.secrets, ['HF_TOKEN', 'MY_PASSWORD', 'WANDB']);
    assert.deepEqual(open.environment, { SEED: '1' });
    assert.deepEqual(withWords(open.argv, kept?.argv ?? {}), ARGV);
    const again = resumedRequest({ ...open, id: 'x' } as JobRecord, kept);
    assert.ok(again.ok);
    assert.deepEqual(again.request.argv, [...ARGV, '--resume']);
    assert.deepEqual(again.request.environment, request().environment);
    assert.deepEqual(again.request.secrets, ['HF_TOKEN']);
    assert.equal(sealed({ ...request(), argv: ['a'], resume: null, environment: {} }).kept, null);
  });

  it('are in one file that only their user can read', async () => {
    const state = await mkdtemp(join(tmpdir(), 'headroom-secrets-'));
    const given: Readonly<Record<string, string>>[] = [];
    const jobs = new AllJobs({ state, engines: [engine('local', given), engine('ssh', given)] });
    try {
      const { id } = await jobs.start(request(), { HF_TOKEN: 'planted-5' }, { aborted: false });
      const folder = join(state, 'jobs', id);
      const names = await readdir(folder);
      for (const name of names) {
        const text = await readFile(join(folder, name), 'utf8');
        assert.ok(!text.includes('planted-5'), name);
        if (name !== 'secrets.json') hasNone(text);
      }
      assert.ok(names.includes('secrets.json'));
      if (process.platform !== 'win32') {
        assert.equal((await stat(join(folder, 'secrets.json'))).mode & 0o777, 0o600);
      }
      assert.deepEqual(given, [
        { HF_TOKEN: 'planted-5', MY_PASSWORD: 'planted-3', WANDB: 'https://me:planted-4@host' },
      ]);
      const elsewhere = request({ engine: 'ssh', alias: 'box', folder: null });
      await assert.rejects(
        jobs.start(elsewhere, {}, { aborted: false }),
        /The command has a secret.*--secret NAME/,
      );
      const variables = { ...elsewhere, argv: ['train'], resume: null };
      await jobs.start(variables, {}, { aborted: false });
      assert.equal(given.length, 2);
    } finally {
      jobs.dispose();
      await rm(state, { recursive: true, force: true });
    }
  });
});

/** An engine that accepts everything and reports that it runs. */
function engine(id: 'local' | 'ssh', given: Readonly<Record<string, string>>[]): JobEngine {
  const sighting = {
    state: 'running',
    message: null,
    startedMs: 1,
    endedMs: null,
    exit: null,
  } as const;
  return {
    id,
    plan: () => Promise.resolve([]),
    start: (_: JobRecord, secrets: Readonly<Record<string, string>>) => {
      given.push(secrets);
      return Promise.resolve({});
    },
    look: () => Promise.resolve(sighting),
    read: (_: JobRecord, offset: number) => Promise.resolve({ offset, bytes: new Uint8Array() }),
    stop: () => Promise.resolve(),
  };
}
