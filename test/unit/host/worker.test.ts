import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInWorker, TimeLimitError } from '../../../src/host/worker';

const LIMITS = { timeMs: 5000, heapMiB: 64 };

describe('work in a thread of its own', () => {
  let folder: string;
  let scripts = 0;
  const script = (body: string): string => {
    const file = join(folder, `${scripts++}.cjs`);
    writeFileSync(file, `const { parentPort, workerData } = require('node:worker_threads');\n${body}`);
    return file;
  };

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-worker-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('gives back what was made of the task', async () => {
    const double = script(`parentPort.postMessage({ kind: 'done', result: workerData * 2 });`);
    assert.equal(await runInWorker(double, 21, {}, LIMITS, new AbortController().signal), 42);
  });

  it('may ask this thread', async () => {
    const asking = script(`
      parentPort.on('message', ({ answer }) => parentPort.postMessage({ kind: 'done', result: answer }));
      parentPort.postMessage({ kind: 'ask', id: 1, method: 'read', args: ['a.yaml'] });`);
    const answers = { read: (path: string) => Promise.resolve(`text of ${path}`) };
    const result = await runInWorker(asking, null, answers, LIMITS, new AbortController().signal);
    assert.equal(result, 'text of a.yaml');
  });

  it('fails with the reason when an answer cannot be had', async () => {
    const asking = script(`
      parentPort.on('message', () => undefined);
      parentPort.postMessage({ kind: 'ask', id: 1, method: 'read', args: [] });`);
    const answers = { read: () => Promise.reject(new Error('disk on fire')) };
    await assert.rejects(
      runInWorker(asking, null, answers, LIMITS, new AbortController().signal),
      /disk on fire/,
    );
  });

  it('fails with the reason when the task does', async () => {
    const failing = script(`parentPort.postMessage({ kind: 'failed', message: 'no such thing' });`);
    await assert.rejects(
      runInWorker(failing, null, {}, LIMITS, new AbortController().signal),
      /no such thing/,
    );
  });

  it('fails when the thread ends without a word', async () => {
    const silent = script(`process.exit(3);`);
    await assert.rejects(runInWorker(silent, null, {}, LIMITS, new AbortController().signal), /exit code 3/);
  });

  it('is ended at the time limit', async () => {
    const endless = script(`for (;;);`);
    const limits = { ...LIMITS, timeMs: 200 };
    await assert.rejects(
      runInWorker(endless, null, {}, limits, new AbortController().signal),
      TimeLimitError,
    );
  });

  it('is ended when it is given up', async () => {
    const endless = script(`for (;;) {}`);
    const controller = new AbortController();
    const run = runInWorker(endless, null, {}, LIMITS, controller.signal);
    controller.abort();
    await assert.rejects(run, /canceled/);
  });
});
