// An embedding on the GPUs of two hosts behind real sshds, from a window: hosts are picked, the split is shown, and
// progress
// includes all parts; stopped, all of it stops; resumed, it is merged and verified. Its worker is this program, on
// either host.
import type { JobRecord } from '../../src/jobs/job';
import { tinyTexts, writeTinyModel } from '../unit/embed/tinyModel';
import { SshBench, whyNoSshd } from '../services/ssh/sshd';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { root } from '../../scripts/lib/root.mjs';
import { JOBS, noJobs, recordsIn, startScreen } from './trainer';
import { journeyInVSCode } from './window';
import { signalIfThere } from '../signals';

/** One text per batch: each part takes some seconds. */
const ROWS = 40_003;
const CONFIG = `embeddings:
  model_path: ./model
  device: cpu
  batch_size: 1
  normalize_embeddings: true
data:
  path: texts.jsonl
output:
  path: vectors
`;
const RECORDINGS = join(root, 'test/fixtures/telemetry');

interface Texted {
  readonly textContent: string;
}

/** The parts of a job's card that are checked. */
interface Card {
  querySelector(selector: string): Texted;
  querySelectorAll(selector: string): Iterable<Texted>;
}

let state: string;
let homes: readonly string[];
const records = () => recordsIn(state);
const whole = () => records().filter(({ partOf }) => partOf === undefined);
const partsOf = ({ id }: JobRecord) => records().filter(({ partOf }) => partOf === id);

/** The hosts' jobs that have reported progress or ended. */
function telling(): readonly string[] {
  const all = homes.map((home: string) => join(home, '.headroom/jobs')).filter(existsSync);
  const jobs = all.flatMap((folder: string) => readdirSync(folder).map(id => join(folder, id)));
  return jobs.filter(job => {
    const output = join(job, 'output');
    return (
      existsSync(join(job, 'exit')) ||
      (existsSync(output) && /"rows":[1-9]/.test(readFileSync(output, 'utf8')))
    );
  });
}

/**
 * Signals the parts' processes on the hosts: tests pause and resume them, so that the machine's speed does not
 * matter.
 */
function signalParts(signal: NodeJS.Signals, jobs: readonly string[]): void {
  for (const job of jobs) {
    if (existsSync(join(job, 'exit'))) continue;
    signalIfThere(-Number(readFileSync(join(job, 'pid'), 'utf8').split('\n')[0]), signal);
  }
}

/** The answer of a host with two GPUs: a recording of one, twice with different names. */
function twoGpus(folder: string, host: string) {
  const [head = '', row = ''] = readFileSync(join(RECORDINGS, 'nv-csv-4080s-595-load.csv'), 'utf8').split(
    '\n',
  );
  const uuid = /GPU-[0-9a-f-]+/.exec(row)![0];
  const bus = /[0-9A-F]{8}:[0-9A-F]{2}:/.exec(row)![0];
  const index = head.split(', ').indexOf('index');
  const rows = [0, 1].map(at => {
    const own = row
      .replaceAll(uuid, `GPU-${host}${at}${uuid.slice(6)}`)
      .replaceAll(bus, bus.replace(/[0-9A-F]{2}:$/, `1${at}:`));
    return own.split(', ').with(index, String(at)).join(', ');
  });
  const file = join(folder, `${host}.csv`);
  writeFileSync(file, `${[head, ...rows].join('\n')}\n`);
  return { answers: [{ when: '--query-gpu', file: relative(RECORDINGS, file) }] };
}

async function twoHosts() {
  const reason = whyNoSshd();
  if (reason !== null) return { skip: () => reason };
  const bench = new SshBench();
  state = join(bench.folder, 'state');
  const bin = join(bench.folder, 'bin');
  mkdirSync(bin);
  writeFileSync(
    join(bin, 'own headroom'),
    `#!/bin/sh\nexec ${process.execPath} ${join(root, 'dist/cli.js')} "$@"\n`,
  );
  homes = ['a', 'b'].map(host => join(bench.folder, `home-${host}`));
  for (const [at, host] of ['a', 'b'].entries()) {
    const home = homes[at]!;
    mkdirSync(home);
    const path = [RECORDINGS, bin, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    await bench.serve(`gpu-${host}`, twoGpus(bench.folder, host), { path, environment: { HOME: home } });
  }
  return {
    workspace: (folder: string) => {
      mkdirSync(join(folder, '.vscode'));
      const settings = { 'headroom.target.gpu': 'RTX 4080 SUPER' };
      writeFileSync(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
      writeFileSync(join(folder, 'embed.yaml'), CONFIG);
      const lines = tinyTexts(ROWS).map((text: string, at: number) => JSON.stringify({ id: `t${at}`, text }));
      writeFileSync(join(folder, 'texts.jsonl'), `${lines.join('\n')}\n`);
      writeTinyModel(join(folder, 'model'));
    },
    env: { HEADROOM_STATE: state },
    machineSettings: {
      'headroom.hosts': ['gpu-a', 'gpu-b'],
      'headroom.ssh.configFile': bench.configFile,
      'headroom.embed.hostCommand': ['sh', join(bin, 'own headroom')],
    },
    timeout: 60_000,
    end: () => bench.end(),
  };
}

journeyInVSCode('an embedding in parts', twoHosts, step => {
  step('the place picker offers it', async vs => {
    await vs.open('embed.yaml');
    await vs.codeLenses(/Embed …/);
    await vs.clickLens('Embed …');
    await vs.picks(/^Split across several GPUs/);
  });

  step('the host picker shows the GPUs of each host', async vs => {
    await vs.pick('Split across several GPUs');
    const rows = await vs.picks(/^gpu-b.*2 × GeForce RTX 4080 SUPER/);
    assert.ok(rows.some(row => /^gpu-a.*2 × GeForce RTX 4080 SUPER/.test(row)));
  });

  step('one screen shows how it is split', async vs => {
    await vs.page.keyboard.press('Enter');
    const text = await startScreen(vs);
    assert.match(text, /Start “embed embed\.yaml in parts”\?/);
    assert.match(text, /embed embed\.yaml .*--hosts gpu-a gpu-b/);
    assert.match(text, /Where: gpu-a \(GPU 0, GPU 1\), gpu-b \(GPU 0, GPU 1\)/);
    assert.match(text, /split into 4 equal parts, one on each GPU\. A part that fails is retried elsewhere/);
    assert.match(text, /On each host, Headroom starts with: sh '.*own headroom'\./);
    assert.match(text, /Writes: .*vectors/);
  });

  step('progress and remaining time cover all parts', async vs => {
    await vs.dialog('Start');
    await vs.until('a word of each part', () => {
      signalParts('SIGSTOP', telling());
      return telling().length === 4;
    });
    await vs.status(JOBS, /embed\.yaml in parts [\d,]+ of 40,003 · .* left/);
    const parts = partsOf(whole()[0]!);
    assert.equal(new Set(parts.map(({ gpus }) => gpus.uuids[0])).size, 4);
  });

  step('its card lists each part with its host', async vs => {
    // Its terminal appears a moment after the status bar's text, and covers what was opened meanwhile.
    await vs.terminalRow(/\S/);
    await vs.command('Headroom: Show Jobs');
    const page = await vs.webview('.job');
    assert.equal(await page.locator('.job').count(), 1);
    const rows = page.locator('.job-parts > li');
    await vs.until('four parts', async () => (await rows.count()) === 4);
    const texts = await rows.allInnerTexts();
    assert.match(texts[0]!, /^1\/4 gpu-[ab] · GPU-/);
    const words = page.locator('.job-words').first();
    assert.match(await words.innerText(), /of 40,003 texts · \d of 4 parts/);
    const numbers = () =>
      page.locator('.job').evaluate((job: Card) => {
        const rowsIn = (text: string) => Number(/([\d,]+) of/.exec(text)?.[1]!.replaceAll(',', ''));
        const parts = [...job.querySelectorAll('.job-parts .state')].map(one => rowsIn(one.textContent));
        return { all: rowsIn(job.querySelector('.job-words').textContent), parts };
      });
    await vs.until('parts that are their sum', async () => {
      const { all, parts } = await numbers();
      return parts.reduce((sum, rows) => sum + rows, 0) === all;
    });
  });

  step('a reloaded window shows it again', async vs => {
    await vs.reload();
    await vs.open('embed.yaml');
    await vs.status(JOBS, /embed\.yaml in parts/);
    assert.equal(whole().length, 1);
  });

  step('stopping it stops all parts', async vs => {
    await vs.command('Headroom: Stop Job');
    await vs.until('it is asked to stop', () => whole()[0]!.state !== 'running');
    signalParts('SIGCONT', telling());
    await noJobs(vs);
    const [job] = whole();
    await vs.until('no part is under way', () =>
      [job!, ...partsOf(job!)].every(one => ['stopped', 'succeeded'].includes(one.state)),
    );
    assert.equal(existsSync(vs.path('vectors')), false);
  });

  step('it resumes, then merges and verifies the vectors', async vs => {
    await vs.command('Headroom: Resume Job');
    await startScreen(vs);
    await vs.dialog('Start');
    await vs.until('the vectors', () => existsSync(vs.path('vectors/manifest.json')));
    await vs.terminalRow(/vectors: \(40003, 32\)/);
    await vs.terminalRow(/^succeeded/);
    assert.deepEqual(
      readdirSync(vs.workspace).filter(name => name.endsWith('.parts')),
      [],
    );
  });
});
