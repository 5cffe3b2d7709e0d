import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { Launch } from '../launch';
import { ToolRunner } from '../runner';
import type { ToolRun } from '../runner';
import type { Timers } from '../timers';
import { capacitiesOf } from './capacity';
import { parseNodes } from './nodes';
import type { SlurmNode } from './nodes';
import { PARTITIONS, parsePartitions } from './partitions';
import { slurmProblem } from './problem';
import { parseQueue, WAITING } from './queue';

/** Every Slurm command hangs for minutes while the controller is away. */
const TIMEOUT_MS = 20_000;

const AS_JSON = ['show', 'node', '--json'] as const;
const AS_LINES = ['-d', '-o', 'show', 'node'] as const;

type Nodes =
  | { readonly ok: true; readonly nodes: readonly SlurmNode[]; readonly how: string }
  | { readonly ok: false; readonly run: ToolRun };

/** Slurm, through its own commands wherever `launch` starts them: one call each of scontrol, sinfo and squeue. */
export class SlurmCluster implements Cluster {
  private readonly runners: Readonly<Record<'scontrol' | 'sinfo' | 'squeue', ToolRunner>>;
  /** scontrol knows JSON from 23.02 on; what it answered first holds from then on. */
  private isJson = true;

  constructor(launch: Launch, timers: Timers, onLoginNode: boolean) {
    const runner = (name: string) => new ToolRunner(name, launch, timers);
    this.runners = { scontrol: runner('scontrol'), sinfo: runner('sinfo'), squeue: runner('squeue') };
    this.problem = run => slurmProblem(run, onLoginNode);
  }

  private readonly problem: (run: ToolRun) => ClusterAnswer;

  async ask(): Promise<ClusterAnswer> {
    const found = await this.nodes();
    if (!found.ok) return this.problem(found.run);
    const partitions = await this.runners.sinfo.run(PARTITIONS, TIMEOUT_MS);
    if (!isGood(partitions)) return this.problem(partitions);
    // Who waits is not worth losing the rest for: sites hide it, and old versions do not know these fields.
    const queue = await this.runners.squeue.run(WAITING, TIMEOUT_MS);
    const waiting = parseQueue(isGood(queue) ? queue.output.stdout : '');
    const capacities = capacitiesOf(found.nodes, parsePartitions(partitions.output.stdout), waiting);
    const message = capacities.length > 0 ? null : 'No node that you may use has GPUs that Slurm counts.';
    return { ok: true, reading: { capacities }, collector: found.how, message };
  }

  close(): void {
    for (const runner of Object.values(this.runners)) runner.dispose();
  }

  private async nodes(): Promise<Nodes> {
    const { scontrol } = this.runners;
    if (this.isJson) {
      const run = await scontrol.run(AS_JSON, TIMEOUT_MS);
      const nodes = isGood(run) ? parseNodes(run.output.stdout) : null;
      if (nodes) return { ok: true, nodes, how: 'scontrol --json' };
      if (!speaksNoJson(run)) return { ok: false, run };
    }
    const run = await scontrol.run(AS_LINES, TIMEOUT_MS);
    const nodes = isGood(run) ? parseNodes(run.output.stdout) : null;
    if (nodes) this.isJson = false;
    return nodes ? { ok: true, nodes, how: 'scontrol' } : { ok: false, run };
  }
}

function isGood(run: ToolRun): run is ToolRun & { ok: true } {
  return run.ok && (run.output.exitCode === 0 || (run.output.exitCode === null && run.output.stdout !== ''));
}

/** An older scontrol refuses the option; one built without a JSON library says so; an answer cut short is none. */
function speaksNoJson(run: ToolRun): boolean {
  if (!run.ok) return false;
  const { stdout, stderr } = run.output;
  return /unrecognized option|invalid option|json|serializer|data_parser/i.test(stderr) || stdout.length > 0;
}
