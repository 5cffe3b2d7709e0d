import { AllJobs } from './allJobs';
import type { EngineRoom } from './engineMaker';
import { engineMakers } from './engines/registry';
import type { Jobs } from './jobs';

/** The jobs of this user on this machine's disk, with every engine. Starts nothing by itself. */
export const openJobs = (room: EngineRoom): Jobs =>
  new AllJobs({
    state: room.state,
    engines: engineMakers.map(make => make(room)),
    ...(room.keepMeasurement && { keepMeasurement: room.keepMeasurement }),
  });
