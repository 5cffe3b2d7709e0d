import type { HostReading, HostWatch } from '../../gpu/fleet';
import { hasAnswered } from '../../gpu/places';
import type { Timers } from '../../gpu/timers';

/** Logging in and a driver's first answer on a machine with many GPUs take their time; more than this is a fault. */
export const FIRST_READING_MS = 45_000;

/** The first reading of each host, all asked side by side; what has not answered in time is as it stands then. */
export async function firstReadings(
  watches: readonly HostWatch[],
  timers: Timers,
  timeoutMs = FIRST_READING_MS,
): Promise<readonly HostReading[]> {
  // Timers do not keep this process alive, and a connection may not have one yet.
  const alive = setInterval(() => undefined, timeoutMs);
  try {
    return await Promise.all(watches.map(watch => firstReading(watch, timers, timeoutMs)));
  } finally {
    clearInterval(alive);
  }
}

function firstReading(watch: HostWatch, timers: Timers, timeoutMs: number): Promise<HostReading> {
  return new Promise(resolve => {
    const done = () => {
      cancel();
      forget();
      // As it was before it is let go, which makes it idle.
      const { reading } = watch;
      release();
      resolve(reading);
    };
    const cancel = timers.after(timeoutMs, done);
    const forget = watch.on(reading => {
      if (hasAnswered(reading)) queueMicrotask(done);
    });
    const release = watch.hold();
  });
}
