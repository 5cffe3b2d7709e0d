import assert from 'node:assert/strict';
import { JobError } from '../../src/jobs/engine';
import { openJobs } from '../../src/jobs/openJobs';
import { NEVER, Place, request, until } from './support';

const GIB = 2 ** 30;

describe('jobs that start at the same moment', function () {
  this.timeout(30_000);
  const place = new Place();
  const { jobs, room } = place;
  after(() => place.remove());

  it('all run if no GPU can be read, though each needs one', async () => {
    const needs = request('setTimeout(() => {}, 500)', {
      gpus: { count: 1, uuids: [], needBytes: 8 * GIB },
    });
    // Each from a window of its own.
    const windows = Array.from({ length: 6 }, () => openJobs(room));
    try {
      const all = await Promise.all(windows.map(one => one.start(needs, {}, NEVER)));
      assert.equal(new Set(all.map(({ id }) => id)).size, 6);
      const ends = await Promise.all(
        all.map(({ id }) => until(jobs, id, 'succeeded', 'failed', 'lost', 'stopped')),
      );
      assert.deepEqual(
        ends.map(({ state, exit }) => [state, exit?.code]),
        ends.map(() => ['succeeded', 0]),
      );
    } finally {
      for (const one of windows) one.dispose();
    }
  });

  it('are refused with a message if their state folder cannot be created', async function () {
    if (process.platform !== 'linux') this.skip();
    const nowhere = openJobs({ ...room, state: '/proc/headroom/state' });
    try {
      await assert.rejects(
        nowhere.start(request(''), {}, NEVER),
        error =>
          error instanceof JobError &&
          error.kind === 'disk' &&
          /^\/proc\/headroom.* not writable/.test(error.message),
      );
      assert.deepEqual(await nowhere.list(), []);
    } finally {
      nowhere.dispose();
    }
  });
});
