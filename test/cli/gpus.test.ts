import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { file, folder, headroom, inTemporaryFolder } from './headroom';

inTemporaryFolder();

const CLI = resolve('dist/cli.js');
const RECORDINGS = resolve('test/fixtures/telemetry');

/** The command line where nvidia-smi is one that replays a recording. */
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

describe('headroom gpus with a GPU', function () {
  before(function () {
    // The stand-in for nvidia-smi is a script with a first line that Windows does not know.
    if (process.platform === 'win32') this.skip();
  });

  it('shows it and who holds its memory, records it, and shows the recording again', () => {
    const shown = withGpu('--record', 'rec.json');
    assert.deepEqual([shown.code, shown.err], [0, '']);
    assert.match(shown.out, /^This machine · live · nvidia-smi stream\n/);
    assert.match(shown.out, /\| 0 +\| NVIDIA GeForce RTX 4080 SUPER \| 1\.4 GB of 16\.0 GB \| 7 % +\| 46 °C/);
    assert.match(shown.out, /\| 0 +\| 503 MB \| 5022 +\|/);
    const again = headroom('gpus', '--replay', 'rec.json');
    assert.equal(again.code, 0);
    // All but the paths of programs, which keep their last part.
    const gpu = (text: string) => text.split('\n').slice(0, 4);
    assert.deepEqual(gpu(again.out), gpu(shown.out));
    assert.match(again.out, /\/…\/kwin_wayland/);
    const recorded = readFileSync(join(folder(), 'rec.json'), 'utf8');
    assert.ok(!recorded.includes(folder()));
  });

  it('gives the same as JSON', () => {
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

  it('goes through a recording that was watched, and ends', () => {
    withGpu('--record', 'rec.json');
    const { code, out } = headroom('gpus', '--replay', 'rec.json', '--watch');
    assert.equal(code, 0);
    assert.match(out, /T.*Z · This machine · GPU 0 · NVIDIA GeForce RTX 4080 SUPER · 1\.4 GB of 16\.0 GB/);
  });
});

describe('headroom gpus with bad words', () => {
  it('says what is wrong with a recording, a host, an address', () => {
    file('not.json', '{"schema":"headroom/1"}');
    file('odd.json', '{"schema":"headroom-recording/1","intervalMs":1,"hosts":[{"host":{}}]}');
    for (const [args, said] of [
      [['--replay', 'nowhere.json'], /^--replay nowhere\.json: /],
      [['--replay', 'not.json'], /not a recording/],
      [['--replay', 'odd.json'], /not a recording/],
      [['--replay', 'not.json', '--slurm'], /leave --host/],
      [['--host', '-oProxyCommand=touch x'], /not the name of an SSH host|argument missing/],
      [['--slurm', 'a b'], /not the name of an SSH host/],
      [['--host', 'box', '--ssh-config', 'nowhere'], /^--ssh-config nowhere: there is no such file/],
      [['--ray', 'ray://head:10001'], /dashboard’s is needed/],
      [['--interval', '0'], /not a number above 0/],
    ] as const) {
      const { code, out, err } = headroom('gpus', ...args);
      assert.deepEqual([code, out], [3, ''], args.join(' '));
      assert.match(err, said);
      assert.ok(err.trim().split('\n').length === 1, err);
    }
  });

  it('says that Slurm is not there, and what to do', () => {
    const { code, out } = headroom('gpus', '--slurm');
    assert.equal(code, 2);
    assert.match(out, /^Slurm · no-tool\n.*not on the PATH\.\n→ /);
  });
});
