import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const CLI = resolve('dist/cli.js');
const RECORDINGS = resolve('test/fixtures/telemetry');

/** The CLI with an nvidia-smi that replays a recording. */
function withGpu(...args: readonly string[]) {
  const answers = [
    { when: '--query-compute-apps', file: join(RECORDINGS, 'nv-apps-4080s-595-load.csv') },
    { when: '--query-gpu', file: join(RECORDINGS, 'nv-csv-4080s-595-load.csv') },
  ];
  writeFileSync(join(folder(), 'session.json'), JSON.stringify({ answers }));
  const run = spawnSync(process.execPath, [CLI, 'gpus', ...args], {
    cwd: folder(),
    encoding: 'utf8',
    timeout: 60_000,
    env: {
      NODE_DISABLE_COMPILE_CACHE: '1',
      PATH: `${RECORDINGS}:${dirname(process.execPath)}:/usr/bin:/bin`,
      HEADROOM_REPLAY: join(folder(), 'session.json'),
      HOME: folder(),
    },
  });
  return { code: run.status, out: run.stdout, err: run.stderr };
}

describe('headroom gpus --from', () => {
  it('shows the GPUs in a pasted output, as a table and as JSON', () => {
    const text = readFileSync(join(RECORDINGS, 'recordings/gpustat-2xh200nvl.txt'), 'utf8');
    file('pasted.md', `\`\`\`\n$ gpustat -i\n${text}\`\`\`\n`);
    const shown = headroom('gpus', '--from', 'pasted.md');
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.match(shown.out, /^pasted\.md · stale · gpustat\n/);
    assert.match(shown.out, /\| 1 +\| NVIDIA H200 NVL \| 8\.5 GB of 140 GB \| 62 %/);
    const { out } = headroom('gpus', '--from', 'pasted.md', '--json');
    assert.equal((JSON.parse(out) as { devices: unknown[] }).devices.length, 2);
  });

  it('says what to do about a file without GPUs', () => {
    file('notes.txt', 'nothing of note\n');
    const { code, err } = headroom('gpus', '--from', 'notes.txt');
    assert.equal(code, 3);
    assert.match(err, /--from notes\.txt: no GPU is in it/);
    assert.equal(headroom('gpus', '--from', 'none.txt').code, 3);
  });
});

describe('headroom gpus with a GPU', function () {
  before(function () {
    // The fake nvidia-smi is a script with a shebang, which Windows does not support.
    if (process.platform === 'win32') this.skip();
  });

  it('shows the GPU and who holds its memory, records it, and replays the recording', () => {
    const shown = withGpu('--record', 'rec.json');
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.match(shown.out, /^This machine · live · nvidia-smi stream\n/);
    assert.match(shown.out, /\| 0 +\| NVIDIA GeForce RTX 4080 SUPER \| 1\.4 GB of 16\.0 GB \| 7 % +\| 46 °C/);
    assert.match(shown.out, /\| 0 +\| 503 MB \| 5022 +\|/);
    const again = headroom('gpus', '--replay', 'rec.json');
    assert.equal(again.code, 0);
    // Everything except paths of programs, which keep their last part.
    const gpu = (text: string) => text.split('\n').slice(0, 4);
    assert.deepEqual(gpu(again.out), gpu(shown.out));
    assert.match(again.out, /\/…\/kwin_wayland/);
    const recorded = readFileSync(join(folder(), 'rec.json'), 'utf8');
    assert.ok(!recorded.includes(folder()));
  });

  it('prints the same as JSON', () => {
    withGpu('--record', 'rec.json');
    const { code, out } = headroom('gpus', '--replay', 'rec.json', '--json');
    const document = JSON.parse(out) as {
      schema: string;
      hosts: { id: string }[];
      samples: { host: string }[];
    };
    assert.deepEqual([code, document.schema, document.hosts[0]?.id], [0, 'headroom/1', 'local']);
    assert.equal(document.samples[0]?.host, 'local');
  });

  it('replays a watched recording to its end', () => {
    withGpu('--record', 'rec.json');
    const { code, out } = headroom('gpus', '--replay', 'rec.json', '--watch');
    assert.equal(code, 0);
    assert.match(out, /T.*Z · This machine · GPU 0 · NVIDIA GeForce RTX 4080 SUPER · 1\.4 GB of 16\.0 GB/);
  });
});

describe('headroom gpus of a job', () => {
  const GIB = 2 ** 30;
  const id = '20261122-071502-a1b2c3';
  const sample = (timeMs: number, heldBytes: number | null, utilPct: number) => ({
    timeMs,
    gpus: [{ uuid: 'GPU-1', heldBytes, usedBytes: 5 * GIB, utilPct, tempC: 60, powerW: 300 }],
  });

  const job = (...samples: readonly object[]): void => {
    const at = join(folder(), 'state/headroom/jobs', id);
    mkdirSync(at, { recursive: true });
    const record = {
      ...{ schema: 'headroom-job/1', id, name: 'train lora.yml', state: 'succeeded', argv: ['true'] },
      ...{ place: { engine: 'local' }, gpus: { count: 1, uuids: ['GPU-1'], needBytes: null }, peaks: [] },
      ...{ kind: 'train', config: null, folder: folder(), environment: {}, secrets: [], writes: [] },
      ...{ limits: {}, estimate: null },
      ...{ createdMs: 0, startedMs: 0, endedMs: 9, seenMs: 9, message: null, handle: null, exit: null },
    };
    writeFileSync(join(at, 'job.json'), JSON.stringify(record));
    const lines = samples.map(one => `${JSON.stringify(one)}\n`).join('');
    if (samples.length > 0) writeFileSync(join(at, 'samples.jsonl'), lines);
  };

  it('shows the peaks, means and course of its GPUs', () => {
    job(sample(0, null, 0), sample(2000, GIB, 40), sample(4000, 4 * GIB, 80));
    const { code, out } = headroom('gpus', '--job', 'last');
    assert.equal(code, 0);
    assert.match(out, /^20261122-071502-a1b2c3 \(train lora\.yml\), 1970-01-01T00:00:00\.000Z to /);
    assert.match(out, /\| GPU-1 \| 4\.0 GB +\| 5\.0 GB +\| 40 % \| 60 °C +\| 300 W \| ▁▃█ +\|/);
    assert.equal(out.includes('nobody could tell'), false);
    const document = JSON.parse(headroom('gpus', '--job', 'last', '--json').out) as { samples: unknown[] };
    assert.equal(document.samples.length, 3);
  });

  it("says so if the memory is the whole GPU's, not the job's", () => {
    job(sample(0, null, 0), sample(2000, null, 40));
    const { out } = headroom('gpus', '--job', 'last');
    assert.match(
      out,
      /\| GPU-1 \| n\/a +\| 5\.0 GB +\|.*\nWhere “held” is n\/a, .* the memory used by all processes\.\n$/,
    );
  });

  it('shows each task of an array', () => {
    const of = (task: string, one: object) => ({ ...one, task });
    job(of('1', sample(4000, GIB, 40)), of('2', sample(0, 4 * GIB, 80)));
    const { out } = headroom('gpus', '--job', 'last');
    assert.match(out, /1970-01-01T00:00:00\.000Z to 1970-01-01T00:00:04/);
    assert.match(
      out,
      /\| task \| GPU +\| held at most .*\n.*\n\| 1 +\| GPU-1 \| 1\.0 GB .*\n\| 2 +\| GPU-1 \| 4\.0 GB /,
    );
  });

  it('says so if nothing was read, and queries no GPU', () => {
    job();
    assert.match(headroom('gpus', '--job', 'last').out, /no GPU readings/);
    assert.match(headroom('gpus', '--job', 'last', '--watch').err, /^--job shows readings from a job/);
    assert.match(headroom('gpus', '--job', 'nobody').err, /no such job/);
  });
});

describe('headroom gpus with bad arguments', () => {
  it('reports errors in a recording, a host or an address', () => {
    file('not.json', '{"schema":"headroom/1"}');
    file('odd.json', '{"schema":"headroom-recording/1","intervalMs":1,"hosts":[{"host":{}}]}');
    for (const [args, said] of [
      [['--replay', 'nowhere.json'], /^--replay nowhere\.json: /],
      [['--replay', 'not.json'], /not a recording/],
      [['--replay', 'odd.json'], /not a recording/],
      [['--replay', 'not.json', '--slurm'], /Remove --host/],
      [['--host', '-oProxyCommand=touch x'], /not a valid SSH host|argument missing/],
      [['--slurm', 'a b'], /not a valid SSH host/],
      [['--host', 'box', '--ssh-config', 'nowhere'], /^--ssh-config nowhere: no such file/],
      [['--ray', 'ray://head:10001'], /use the address of the dashboard/],
      [['--interval', '0'], /Expected a number above 0/],
    ] as const) {
      const { code, out, err } = headroom('gpus', ...args);
      assert.deepEqual([code, out], [3, ''], args.join(' '));
      assert.match(err, said);
      assert.ok(err.trim().split('\n').length === 1, err);
    }
  });

  it('says that Slurm is missing, and what to do', () => {
    const { code, out } = headroom('gpus', '--slurm');
    assert.equal(code, 2);
    assert.match(out, /^Slurm · no-tool\n.*not on the PATH\.\n→ /);
  });
});
