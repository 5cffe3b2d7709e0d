import type { HostReading, HostWatch } from '../../gpu/fleet';
import { hasAnswered } from '../../gpu/places';
import type { Timers } from '../../gpu/timers';

/** Login and a driver's first response take time on a machine with many GPUs; longer than this is an error. */
const FIRST_READING_MS = 45_000;

/** The first reading of each host, queried concurrently; on a timeout, the host's current state. */
export async function firstReadings(
  watches: readonly HostWatch[],
  timers: Timers,
): Promise<readonly HostReading[]> {
  // Timers do not keep this process alive, and a connection may not have one yet.
  const alive = setInterval(() => undefined, FIRST_READING_MS);
  try {
    return await Promise.all(watches.map(watch => firstReading(watch, timers)));
  } finally {
    clearInterval(alive);
  }
}

function firstReading(watch: HostWatch, timers: Timers): Promise<HostReading> {
  return new Promise(resolve => {
    const done = () => {
      cancel();
      forget();
      // Read before the release, which makes the watch idle.
      const { reading } = watch;
      release();
      resolve(reading);
    };
    const cancel = timers.after(FIRST_READING_MS, done);
    const forget = watch.on(reading => {
      if (hasAnswered(reading)) queueMicrotask(done);
    });
    const release = watch.hold();
  });
}
