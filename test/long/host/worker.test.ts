import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { forked } from '../../../src/host/forked';
import { LimitError, Workers } from '../../../src/host/worker';
import type { Answers } from '../../../src/host/worker';

const TIME_MS = 30_000;

/** What each task does, in a process of its own. */
const SCRIPT = `
const works = {
  double: ([, number]) => number * 2,
  pid: () => process.pid,
  ask: ([, path]) => new Promise(resolve => {
    process.once('message', ({ answer }) => resolve(answer));
    process.send({ kind: 'ask', id: 1, method: 'read', args: [path] });
  }),
  fail: () => { throw new Error('broken'); },
  exit: () => process.exit(3),
  spin: () => { for (;;); },
  grow: () => { const all = []; for (;;) all.push(1); },
  heard: () => heard,
};
let heard = null;
process.on('message', async message => {
  if (message.kind === 'notice') heard = message.notice;
  if (message.kind !== 'task') return;
  try {
    process.send({ kind: 'done', result: await works[message.task[0]](message.task) });
  } catch (error) {
    process.send({ kind: 'failed', message: error.message, stack: error.stack });
  }
});
process.send({ kind: 'ready' });
`;

describe('workers', function () {
  this.timeout(120_000);
  let folder: string;
  let workers: Workers;
  const open = (most: number, answers: Answers = {}): Workers => {
    const script = join(folder, 'script.cjs');
    return (workers = new Workers({
      start: forked({ script, args: [], heapMiB: 64 }),
      answers,
      most,
      patienceMs: 100,
      restMs: 300,
    }));
  };
  const run = (task: readonly unknown[], timeMs = TIME_MS): Promise<unknown> =>
    workers.run(task, timeMs, new AbortController().signal);

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-worker-'));
    writeFileSync(join(folder, 'script.cjs'), SCRIPT);
  });
  afterEach(() => workers.dispose());
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('give back what was made of a task, from one process that is kept', async () => {
    open(1);
    assert.equal(await run(['double', 21]), 42);
    assert.equal(await run(['pid']), await run(['pid']));
  });

  it('may ask this process', async () => {
    open(1, { read: (path: string) => Promise.resolve(`text of ${path}`) });
    assert.equal(await run(['ask', 'a.yaml']), 'text of a.yaml');
  });

  it('fail with the reason when an answer cannot be had, and go on', async () => {
    open(1, { read: () => Promise.reject(new Error('no disk')) });
    await assert.rejects(run(['ask', 'a.yaml']), /no disk/);
    assert.equal(await run(['double', 1]), 2);
  });

  it('hand on what a task throws, in the same process', async () => {
    open(1);
    const pid = await run(['pid']);
    await assert.rejects(run(['fail']), /^Error: broken$/);
    assert.equal(await run(['pid']), pid);
  });

  it('say that a process ended by itself, and start another', async () => {
    open(1);
    await assert.rejects(run(['exit']), /ended early \(3\)/);
    assert.equal(await run(['double', 2]), 4);
  });

  it('end a task at its time limit and do the next in a fresh process', async () => {
    open(1);
    const pid = await run(['pid']);
    const late = run(['spin'], 300);
    const next = run(['pid']);
    await assert.rejects(late, error => error instanceof LimitError && error.what === 'time');
    assert.notEqual(await next, pid);
    assert.throws(() => process.kill(Number(pid), 0), /ESRCH/);
  });

  it('end a task at its memory limit, an array that grows too, and this process lives', async () => {
    open(1);
    await assert.rejects(run(['grow']), error => error instanceof LimitError && error.what === 'memory');
    assert.equal(await run(['double', 3]), 6);
  });

  it('answer other tasks while one hangs', async () => {
    open(2);
    await run(['pid']);
    const controller = new AbortController();
    const hung = workers.run(['spin'], TIME_MS, controller.signal);
    assert.equal(await run(['double', 4]), 8);
    controller.abort();
    await assert.rejects(hung, /canceled/);
  });

  it('end a process that ignores the cancellation of its task', async () => {
    open(1);
    const controller = new AbortController();
    await run(['pid']);
    const hung = workers.run(['spin'], TIME_MS, controller.signal);
    const next = run(['double', 5]);
    controller.abort();
    await assert.rejects(hung, /canceled/);
    assert.equal(await next, 10);
  });

  it('never begin a task that was given up while it waited', async () => {
    open(1);
    const controller = new AbortController();
    const first = run(['double', 6]);
    const given = workers.run(['spin'], TIME_MS, controller.signal);
    controller.abort();
    await assert.rejects(given, /canceled/);
    assert.equal(await first, 12);
    assert.equal(await run(['double', 7]), 14);
  });

  it('end an idle process once none is needed', async () => {
    open(1);
    const pid = Number(await run(['pid']));
    const rest = () => new Promise(resolve => setTimeout(resolve, 2000));
    await rest();
    assert.ok(process.kill(pid, 0), 'it is kept while it is wanted');
    workers.keep(false);
    await rest();
    assert.throws(() => process.kill(pid, 0), /ESRCH/);
    assert.equal(await run(['double', 8]), 16);
  });

  it('receive notices', async () => {
    open(1);
    await run(['pid']);
    workers.notify('definitions');
    assert.equal(await run(['heard']), 'definitions');
  });
});
