import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { LengthRecord } from '../../../src/core/lengths/record';
import type { Measurement } from '../../../src/core/learn/measurement';
import { chooseFiles } from '../../../src/jobs/copy/choose';
import { readJson, readPiece } from '../../../src/jobs/files';
import { rayPackage } from '../../../src/jobs/ray/package';
import { readSecrets } from '../../../src/jobs/secrets';
import { JobStore } from '../../../src/jobs/store';
import { keepLengths } from '../../../src/world/lengths';
import { forgetMeasurements, keepMeasurement } from '../../../src/world/measurements';

const ID = '20260101-000000-abcdef';
const LARGE_BYTES = 1024 ** 3;
const measurement = { schema: 'headroom-measurement/1', bytes: 1 } as Measurement;

/** What may lie where a file should be: nothing of it ends by itself, or it takes more memory than there is. */
const KINDS: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': path => void execFileSync('mkfifo', [path]),
  'a link into /proc': path => symlinkSync('/proc/self/pagemap', path),
  'a link to /dev/zero': path => symlinkSync('/dev/zero', path),
  'a file of a gigabyte': path => {
    writeFileSync(path, '');
    truncateSync(path, LARGE_BYTES);
  },
};

describe('files of jobs and measurements', function () {
  this.timeout(60_000);
  let folder: string;

  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'headroom-special-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const [kind, make] of Object.entries(KINDS)) {
    it(`are not read where one is ${kind}`, async function () {
      if (process.platform !== 'linux') this.skip();
      const store = new JobStore(folder);
      const paths = store.paths(ID);
      mkdirSync(paths.folder, { recursive: true });
      for (const path of [paths.record, paths.request, paths.secrets, join(folder, '.gitignore')]) make(path);
      assert.equal(await store.read(ID), null);
      assert.deepEqual(await store.odd(), [ID]);
      assert.equal(await store.request(ID), null);
      assert.equal(await readJson(paths.request), null);
      assert.equal(await readSecrets(paths.secrets), null);
      await chooseFiles(folder);
      make(join(folder, 'data.bin'));
      const choice = { folder, files: ['data.bin'], bytes: 0, biggest: [], leftOut: [] };
      const packed = rayPackage(choice, 1000);
      // Nothing that is no file is packed, and what is too large is refused by its name.
      if (kind === 'a file of a gigabyte') await assert.rejects(packed, /data\.bin is too large/);
      else assert.ok((await packed).bytes.length < 100);
      const kept = join(folder, 'kept.jsonl');
      make(kept);
      assert.equal(await forgetMeasurements(kept, () => true), 0);
    });
  }

  for (const kind of ['a pipe', 'a link into /proc', 'a link to /dev/zero']) {
    it(`are not written where one is ${kind}, and its output has no bytes`, async function () {
      if (process.platform !== 'linux') this.skip();
      const path = join(folder, 'kept.jsonl');
      KINDS[kind]?.(path);
      await assert.rejects(keepMeasurement(path, measurement), /not a regular file/);
      await assert.rejects(keepLengths(path, {} as LengthRecord), /not a regular file/);
      assert.equal((await readPiece(path, 0)).bytes.length, 0);
    });
  }

  it('keep what they have where they are too large to be changed', async function () {
    if (process.platform !== 'linux') this.skip();
    const path = join(folder, 'kept.jsonl');
    writeFileSync(path, '{}\n');
    truncateSync(path, LARGE_BYTES);
    await assert.rejects(keepLengths(path, {} as LengthRecord), /too large/);
  });

  it('are kept in a folder of memory, which only looks like a device', async function () {
    if (process.platform !== 'linux') this.skip();
    const path = join(mkdtempSync('/dev/shm/headroom-special-'), 'kept.jsonl');
    try {
      await keepMeasurement(path, measurement);
      await keepMeasurement(path, measurement);
      assert.equal(readFileSync(path, 'utf8').split('\n').length, 3);
      writeFileSync(`${path}.json`, '{"a": 1}');
      assert.deepEqual(await readJson(`${path}.json`), { a: 1 });
    } finally {
      rmSync(dirname(path), { recursive: true, force: true });
    }
  });
});
