import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { Capacity } from '../fleet';
import type { Timers } from '../timers';
import { parseRayGpus } from './gpus';
import type { HttpAnswer, HttpGet } from '../../remote/http';
import { valueAt, parsedJson, textIn } from '../../core/text/json';
import { parseRayNodes, parseRayUsage, usedInSummary } from '../../remote/rayNodes';
import type { RayNode } from '../../remote/rayNodes';
import { rayProblem } from './problem';

const TIMEOUT_MS = 10_000;

/** The State API (Ray 2.0 and newer), the usage, and the GPU readings of the nodes' agents. */
export const RAY_PATHS = {
  version: '/api/version',
  nodes: '/api/v0/nodes?detail=1',
  status: '/api/cluster_status',
  summary: '/nodes?view=summary',
} as const;

/** Ray through its dashboard: three GETs, of which only the first must succeed. */
export class RayCluster implements Cluster {
  private collector: string | null = null;

  constructor(
    private readonly http: HttpGet,
    private readonly timers: Timers,
    private readonly sendsToken: boolean,
  ) {}

  async ask(): Promise<ClusterAnswer> {
    const answer = await this.get(RAY_PATHS.nodes);
    const nodes = isGood(answer) ? parseRayNodes(answer.body) : null;
    if (!nodes) return rayProblem(answer, this.sendsToken);
    this.collector ??= await this.version();
    const summary = bodyOf(await this.get(RAY_PATHS.summary));
    const status = bodyOf(await this.get(RAY_PATHS.status));
    const gpus = parseRayGpus(summary, this.timers.now());
    const usage = parseRayUsage(status);
    const usedByNode = usage?.usedByNode.size ? usage.usedByNode : usedInSummary(summary);
    const capacities = nodes
      .filter(node => node.isAlive && node.gpus > 0)
      .map(node => capacityOf(node, usedByNode.get(node.id) ?? null, usage?.waiting ?? 0));
    const message = capacities.length > 0 ? null : 'No node of this Ray cluster has GPUs.';
    return { ok: true, reading: { ...gpus, capacities }, collector: this.collector, message };
  }

  close(): void {
    this.http.close();
    this.collector = null;
  }

  private get(path: string): Promise<HttpAnswer> {
    return this.http.get(path, TIMEOUT_MS);
  }

  private async version(): Promise<string> {
    const version = textIn(valueAt(parsedJson(bodyOf(await this.get(RAY_PATHS.version))), 'ray_version'));
    return version === null ? 'Ray' : `Ray ${version}`;
  }
}

const isGood = (answer: HttpAnswer): answer is HttpAnswer & { ok: true } =>
  answer.ok && answer.status === 200;

const bodyOf = (answer: HttpAnswer): string => (isGood(answer) ? answer.body : '');

function capacityOf(node: RayNode, used: number | null, waiting: number): Capacity {
  const notes = [
    node.isHead ? 'head node' : null,
    waiting === 0 ? null : `${waiting} GPU ${waiting === 1 ? 'request is waiting' : 'requests are waiting'}`,
  ].filter(note => note !== null);
  return {
    place: node.name,
    gpu: node.accelerator,
    memoryMiB: null,
    nodes: 1,
    gpusTotal: node.gpus,
    // Tasks may use fractions of a GPU; free GPUs are counted as whole ones.
    gpusFree: used === null ? null : Math.max(0, Math.floor(node.gpus - used)),
    note: notes.length === 0 ? null : notes.join('; '),
  };
}
