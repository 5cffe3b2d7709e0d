import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { Launch } from '../launch';
import { ToolRunner } from '../runner';
import type { ToolRun } from '../runner';
import type { Timers } from '../timers';
import { capacitiesOf } from './capacity';
import type { SlurmCommands } from './commands';
import { commandsOnLogin } from './commands';
import { parseNodes } from './nodes';
import type { SlurmNode } from './nodes';
import { PARTITIONS, parsePartitions } from './partitions';
import { slurmProblem } from './problem';
import { parseQueue, WAITING } from './queue';
import { phrase } from '../../core/text/say';

/** Every Slurm command hangs for minutes while the controller is unreachable. */
const TIMEOUT_MS = 20_000;

type Nodes =
  | { readonly ok: true; readonly nodes: readonly SlurmNode[]; readonly how: string }
  | { readonly ok: false; readonly run: ToolRun };

/** Slurm through its own commands, started by `launch`: one call each of scontrol, sinfo and squeue. */
export class SlurmCluster implements Cluster {
  private runner: ToolRunner | null = null;
  /** Set by scontrol's first answer. */
  private isJson: boolean;

  constructor(
    private readonly launch: Launch,
    private readonly timers: Timers,
    private readonly commands: SlurmCommands,
  ) {
    this.isJson = commands.nodesAsJson !== null;
  }

  async ask(): Promise<ClusterAnswer> {
    const found = await this.nodes();
    if (!found.ok) return this.problem(found.run);
    const partitions = await this.run(this.commands.command('sinfo', PARTITIONS));
    if (!isGood(partitions)) return this.problem(partitions);
    // A failure here must not lose the rest: sites hide the queue, and old versions lack these fields.
    const queue = await this.run(this.commands.command('squeue', WAITING));
    const waiting = parseQueue(isGood(queue) ? queue.output.stdout : '');
    const capacities = capacitiesOf(found.nodes, parsePartitions(partitions.output.stdout), waiting);
    const message = capacities.length > 0 ? null : phrase`Slurm reports no GPUs on the nodes you can use.`;
    return { ok: true, reading: { capacities }, collector: found.how, message };
  }

  close(): void {
    this.runner?.dispose();
  }

  private problem(run: ToolRun): ClusterAnswer {
    return slurmProblem(run, this.commands === commandsOnLogin);
  }

  /** One process at a time: a hanging command is not started again. */
  private run([program = '', ...args]: readonly string[]): Promise<ToolRun> {
    if (this.runner?.isBusy) return Promise.resolve({ ok: false, why: 'busy' });
    this.runner = new ToolRunner(program, this.launch, this.timers);
    return this.runner.run(args, TIMEOUT_MS);
  }

  private async nodes(): Promise<Nodes> {
    const { nodesAsJson, nodes: asLines } = this.commands;
    if (this.isJson && nodesAsJson !== null) {
      const run = await this.run(nodesAsJson);
      const nodes = isGood(run) ? parseNodes(run.output.stdout) : null;
      if (nodes) return { ok: true, nodes, how: 'scontrol --json' };
      if (!rejectsJson(run)) return { ok: false, run };
    }
    const run = await this.run(asLines);
    const nodes = isGood(run) ? parseNodes(run.output.stdout) : null;
    if (!nodes || (nodes.length === 0 && complains(run))) return { ok: false, run };
    this.isJson = false;
    return { ok: true, nodes, how: 'scontrol' };
  }
}

function isGood(run: ToolRun): run is ToolRun & { ok: true } {
  return run.ok && (run.output.exitCode === 0 || (run.output.exitCode === null && run.output.stdout !== ''));
}

/** An empty answer through a pipe may be a failure. */
const complains = (run: ToolRun): boolean => run.ok && run.output.stderr.trim() !== '';

/** An older scontrol rejects the option, one without a JSON library says so, and a truncated answer is invalid. */
function rejectsJson(run: ToolRun): boolean {
  if (!run.ok) return false;
  const { stdout, stderr } = run.output;
  return /unrecognized option|invalid option|json|serializer|data_parser/i.test(stderr) || stdout.length > 0;
}
