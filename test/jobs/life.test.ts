import { readProcessFile } from '../../src/jobs/processFile';
import { jobPaths } from '../../src/jobs/stateFolder';
import { jobContract } from './contract';
import { Place } from './support';
import { signalTo } from '../signals';

function kill(pid: unknown): Promise<void> {
  signalTo(Number(pid), 'SIGKILL');
  return Promise.resolve();
}

/** This machine: each job has a keeper, a separate process. */
jobContract({
  title: 'this machine',
  missing: () => (process.platform === 'linux' ? null : 'how its processes die is told by /proc'),
  limitMs: 40_000,
  open: () => {
    const place = new Place();
    return Promise.resolve({
      room: place.room,
      asks: { place: { engine: 'local' } },
      stopSignal: 'SIGINT',
      breakOff: ({ handle }) => kill(handle?.['keeper']),
      lose: async ({ id, handle }) => {
        const pid = (await readProcessFile(jobPaths(place.room.state, id).process))?.pid;
        await kill(handle?.['keeper']);
        await kill(pid);
      },
      end: () => place.remove(),
    });
  },
});
