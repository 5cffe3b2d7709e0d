import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { tinyTexts, writeTinyModel } from '../../unit/embed/tinyModel';
import { processesWith } from '../processes';
import { SshBench, whyNoSshd } from '../ssh/sshd';

const RECORDINGS = resolve('test/fixtures/telemetry');
const ROWS = 1003;

describe('services: an embedding over two hosts', function () {
  this.timeout(300_000);
  let bench: SshBench;
  const reason = whyNoSshd();

  before(function () {
    if (reason === null) return;
    console.log(`    skipped: ${reason}`);
    this.skip();
  });

  after(async () => {
    if (reason !== null) return;
    await bench.end();
    assert.deepEqual(processesWith(bench.folder), []);
  });

  /** The answer of a host with eight GPUs: a recording of one, eight times with other names. */
  function eightGpus(host: string): string {
    const [head = '', row = ''] = readFileSync(join(RECORDINGS, 'nv-csv-4080s-595-load.csv'), 'utf8').split(
      '\n',
    );
    const uuid = /GPU-[0-9a-f-]+/.exec(row)?.[0] ?? '';
    const bus = /[0-9A-F]{8}:[0-9A-F]{2}:/.exec(row)?.[0] ?? '';
    const rows = Array.from({ length: 8 }, (_, at) =>
      row
        .replaceAll(uuid, `${uuid.slice(0, -2)}${host}${at}`)
        .replaceAll(bus, bus.replace(/[0-9A-F]{2}:$/, `1${at}:`)),
    );
    const file = join(bench.folder, `${host}.csv`);
    writeFileSync(file, `${[head, ...rows].join('\n')}\n`);
    return relative(RECORDINGS, file);
  }

  it('runs 16 parts on 16 GPUs by UUID, retries a failed part elsewhere, and merges to the right shape', async () => {
    bench = new SshBench();
    const work = join(bench.folder, 'texts');
    mkdirSync(work);
    for (const host of ['a', 'b']) {
      const home = join(bench.folder, `home-${host}`);
      mkdirSync(home);
      const answers = [{ when: '--query-gpu', file: eightGpus(host) }];
      await bench.serve(host, { answers }, { environment: { HOME: home } });
    }
    const texts = tinyTexts(ROWS).map((text, at) => JSON.stringify({ id: `t${at}`, text }));
    writeFileSync(join(work, 'texts.jsonl'), `${texts.join('\n')}\n`);
    writeTinyModel(join(work, 'model'));
    const log = join(bench.folder, 'started');
    const worker = join(bench.folder, 'worker.sh');
    const cli = [process.execPath, resolve('dist/cli.js')];
    writeFileSync(
      worker,
      `echo "$CUDA_VISIBLE_DEVICES $*" >>${log}\ncase "$*" in *'--shard 5/16 '*) mkdir ${bench.folder}/failed 2>/dev/null && exit 9 ;; esac\nexec ${cli.join(' ')} "$@"\n`,
    );
    const out = join(bench.folder, 'vectors');
    const args = [
      ...['embed', join(work, 'texts.jsonl'), '--out', out, '--model', join(work, 'model'), '--hosts', 'a,b'],
      ...['--gpus-per-host', '8', '--ssh-config', bench.configFile, '--host-command', 'sh', worker],
      ...['--workers', '1', '--progress', 'json', '--json', '--device', 'cpu'],
    ];
    const ran = spawnSync(process.execPath, [resolve('dist/cli.js'), ...args], {
      encoding: 'utf8',
      env: { ...process.env, HEADROOM_STATE: join(bench.folder, 'state') },
      timeout: 280_000,
    });
    assert.equal(ran.status, 0, ran.stderr);
    assert.deepEqual((JSON.parse(ran.stdout) as { shape: unknown }).shape, [ROWS, 32]);
    assert.match(ran.stderr, /Part 5 on \S+ · GPU-\S+: .*; it is retried elsewhere\./);
    const starts = readFileSync(log, 'utf8').trim().split('\n');
    assert.equal(starts.length, 17);
    const first = starts.slice(0, 16).map(line => line.split(' ')[0]);
    assert.equal(new Set(first).size, 16);
    const fifth = starts.filter(line => line.includes(' --shard 5/16 '));
    assert.equal(fifth.length, 2);
    assert.notEqual(fifth[0]?.split(' ')[0], fifth[1]?.split(' ')[0]);
    assert.equal(existsSync(`${out}.parts`), false);
    // Copied files are removed from the hosts again.
    for (const host of ['a', 'b']) {
      const jobs = join(bench.folder, `home-${host}/.headroom/jobs`);
      const left = readdirSync(jobs, { recursive: true, encoding: 'utf8' });
      assert.deepEqual(
        left.filter(name => name.endsWith('texts.jsonl')),
        [],
      );
    }
    const ids = readFileSync(join(out, 'shard-00000.ids.jsonl'), 'utf8').trim().split('\n');
    assert.deepEqual([ids[0], ids.at(-1), ids.length], ['"t0"', `"t${ROWS - 1}"`, ROWS]);
  });
});
