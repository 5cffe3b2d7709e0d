import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { largestBatch } from '../../../src/profile/largestBatch';
import { searchBatch } from '../../../src/profile/probe';
import type { DryRunRequest } from '../../../src/profile/request';

const GB = 2 ** 30;

describe('the largest batch', () => {
  it('is found in eight tries, whatever the estimate began with, and no try that is known not to fit is made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.double({ min: 1, max: 60, noNaN: true }),
        fc.double({ min: 0.02, max: 8, noNaN: true }),
        fc.double({ min: 0.4, max: 2.2, noNaN: true }),
        async (fixed, each, off) => {
          const allowedBytes = 72 * GB;
          const truth = Math.floor((72 - fixed) / each);
          const failed: number[] = [];
          const found = await largestBatch({
            first: Math.round(truth * off),
            most: 100_000,
            allowedBytes,
            trials: 8,
            attempt: rows => {
              assert.ok(rows >= 1 && failed.every(one => rows < one));
              const bytes = (fixed + each * rows) * GB;
              if (bytes <= allowedBytes) return Promise.resolve({ bytes });
              failed.push(rows);
              return Promise.resolve(null);
            },
          });
          assert.ok(found.tried.length <= 8);
          assert.equal(found.rows, truth === 0 ? null : truth);
        },
      ),
    );
  });

  it('is nothing where not even one row runs', async () => {
    const attempt = () => Promise.resolve(null);
    const found = await largestBatch({ first: 4, most: 64, allowedBytes: GB, trials: 8, attempt });
    assert.equal(found.rows, null);
    assert.ok(found.certain);
  });
});

/** Allocates as told, in a process of its own, and writes down the most it ever had. */
const TRAINER = `#!/usr/bin/env node
const { appendFileSync } = require('node:fs');
let text = '';
process.stdin.on('data', piece => (text += piece)).on('end', () => {
  const { rows, allowedBytes } = JSON.parse(text);
  const wanted = 4e9 + rows * 1.5e9;
  const had = Math.min(wanted, allowedBytes);
  appendFileSync(__dirname + '/had.txt', had + '\\n');
  const ran = wanted <= allowedBytes;
  console.log(JSON.stringify({ kind: 'result', ran, allocated: had, reserved: had, gpu: 'Fake 24', versions: {} }));
});
`;

const request = { protocol: 1, task: 'dry run', rows: 1 } as unknown as DryRunRequest;

describe('a probe', function () {
  let folder = '';
  before(function () {
    if (process.platform === 'win32') this.skip();
    folder = mkdtempSync(join(tmpdir(), 'headroom-probe-'));
    writeFileSync(join(folder, 'trainer.js'), TRAINER);
    writeFileSync(join(folder, 'stays.js'), STAYS);
    chmodSync(join(folder, 'trainer.js'), 0o755);
  });
  after(() => {
    if (folder !== '') rmSync(folder, { recursive: true, force: true });
  });

  const search = (script: string, signal: { readonly aborted: boolean }, progress = (): void => undefined) =>
    searchBatch(
      { executable: process.execPath, script: join(folder, script) },
      request,
      { first: 20, most: 512 },
      { allowedBytes: 22.8e9, timeoutMs: 20_000, folder: null, progress },
      signal,
    );

  it('finds what a trainer can take, in at most eight processes, and takes no more than is allowed', async () => {
    const { found, probed } = await search('trainer.js', { aborted: false });
    assert.equal(found.rows, 12);
    assert.ok(found.tried.length <= 8 && found.certain);
    assert.ok(probed.every(({ reservedBytes }) => reservedBytes <= 22.8e9));
    const had = readFileSync(join(folder, 'had.txt'), 'utf8').trim().split('\n').map(Number);
    assert.ok(Math.max(...had) <= 22.8e9);
  });

  it('leaves no process behind when it is given up, not even what the trainer started', async () => {
    const signal = { aborted: false };
    await assert.rejects(
      search('stays.js', signal, () => (signal.aborted = true)),
      { kind: 'aborted' },
    );
    const pids = readFileSync(join(folder, 'pids.txt'), 'utf8').trim().split(' ').map(Number);
    assert.equal(pids.length, 2);
    // An orphan's number is taken until the system has buried it.
    for (let i = 0; i < 50 && pids.some(isThere); i += 1) await pause(100);
    assert.deepEqual(pids.filter(isThere), []);
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A trainer with a worker, both of which ignore a request to end. */
const STAYS = `
const { spawn } = require('node:child_process');
const { writeFileSync } = require('node:fs');
const stays = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
const child = spawn(process.execPath, ['-e', stays], { stdio: 'inherit' });
process.on('SIGTERM', () => {});
writeFileSync(__dirname + '/pids.txt', process.pid + ' ' + child.pid);
setTimeout(() => console.log(JSON.stringify({ kind: 'progress', text: 'Working' })), 200);
setInterval(() => {}, 1000);
`;
