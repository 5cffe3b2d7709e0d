import type { Quantity } from '../../spec/quantity';
import { runsOfJob } from '../command/jobs';
import { whole } from '../command/located';
import { scriptOf } from '../command/shell';
import type { Composition, Layer, Neighbourhood } from '../engine/compose';
import { withoutSrun } from './srun';

/** Without a word to a launcher a command runs where it is started. */
const HERE: Quantity<number> = {
  value: 1,
  origin: { kind: 'default', framework: 'bash', version: '5.2', source: 'a command runs on one machine' },
  unit: 'nodes',
};

/** One run for each thing of ours that a script starts. */
export async function scriptRuns(opened: Layer, files: Neighbourhood): Promise<readonly Composition[]> {
  const { always, perhaps } = scriptOf(whole(opened.yaml.text), new Map());
  const job = {
    name: '',
    image: '',
    commands: always.map(withoutSrun),
    perhaps: perhaps.map(withoutSrun),
    environment: [],
    launched: { nodes: HERE },
  };
  const runs = await runsOfJob(job, opened, files);
  return runs.filter(({ dialect }) => dialect !== undefined);
}
