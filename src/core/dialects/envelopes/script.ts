import { runsOfJob } from '../command/jobs';
import { whole } from '../command/located';
import { scriptOf } from '../command/shell';
import type { Composition, Layer, NearbyFiles } from '../engine/compose';
import { withoutSrun } from './srun';

/** One run for each known program that a script starts. */
export async function scriptRuns(opened: Layer, files: NearbyFiles): Promise<readonly Composition[]> {
  const { always, perhaps } = scriptOf(whole(opened.yaml.text), new Map());
  const job = {
    name: '',
    image: '',
    commands: always.map(withoutSrun),
    perhaps: perhaps.map(withoutSrun),
    environment: [],
    launched: {},
  };
  const runs = await runsOfJob(job, opened, files);
  return runs.filter(({ dialect }) => dialect !== undefined);
}
