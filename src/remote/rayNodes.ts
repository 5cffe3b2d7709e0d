import { valueAt, isRecord, numberIn, parsedJson, textIn } from '../core/text/json';
import type { JsonRecord } from '../core/text/json';

/** A node of a Ray cluster as its scheduler reports it. */
export interface RayNode {
  readonly id: string;
  /** Ray's name of the node, else its address. */
  readonly name: string;
  readonly isAlive: boolean;
  readonly isHead: boolean;
  readonly gpus: number;
  /** `A100`, `RTX-PRO-6000`; null if Ray did not recognize them. */
  readonly accelerator: string | null;
  /** By the node's clock; null if not reported. */
  readonly startMs: number | null;
}

const ACCELERATOR = 'accelerator_type:';

/** Nodes in a response of `/api/v0/nodes?detail=1`; null if it is not one. */
export function parseRayNodes(body: string): readonly RayNode[] | null {
  const list = valueAt(parsedJson(body), 'data', 'result', 'result');
  return Array.isArray(list) ? list.filter(isRecord).map(nodeOf) : null;
}

function nodeOf(node: JsonRecord): RayNode {
  const resources = isRecord(node['resources_total']) ? node['resources_total'] : {};
  const accelerator = Object.keys(resources).find(name => name.startsWith(ACCELERATOR));
  const id = textIn(node['node_id']) ?? '';
  return {
    id,
    name: textIn(node['node_name']) ?? textIn(node['node_ip']) ?? id.slice(0, 8),
    isAlive: node['state'] === 'ALIVE',
    isHead: node['is_head_node'] === true,
    gpus: numberIn(resources['GPU']) ?? 0,
    accelerator: accelerator?.slice(ACCELERATOR.length) ?? null,
    startMs: numberIn(node['start_time_ms']),
  };
}

/** What `/api/cluster_status` reports about the use of GPUs. */
interface RayUsage {
  /** GPUs in use by node; a fraction if tasks share a GPU. */
  readonly usedByNode: ReadonlyMap<string, number>;
  /** Pending requests for GPUs. */
  readonly waiting: number;
}

/** Null if the response does not report it. */
export function parseRayUsage(body: string): RayUsage | null {
  const report = valueAt(parsedJson(body), 'data', 'clusterStatus', 'loadMetricsReport');
  if (!isRecord(report)) return null;
  const byNode = isRecord(report['usageByNode']) ? report['usageByNode'] : {};
  const used = new Map<string, number>();
  for (const [id, resources] of Object.entries(byNode)) {
    const pair = valueAt(resources, 'GPU');
    const count = Array.isArray(pair) ? numberIn(pair[0]) : null;
    if (count !== null) used.set(id, count);
  }
  const demands = Array.isArray(report['resourceDemand']) ? report['resourceDemand'] : [];
  return { usedByNode: used, waiting: demands.reduce<number>((sum, demand) => sum + waitingIn(demand), 0) };
}

/** `[{"GPU": 8.0}, 3]`: three requests for eight GPUs. */
function waitingIn(demand: unknown): number {
  if (!Array.isArray(demand)) return 0;
  const [resources, count] = demand as readonly unknown[];
  return isRecord(resources) && 'GPU' in resources ? (numberIn(count) ?? 0) : 0;
}

/** Usage by node from the text of the summary (`1.5/4.0 GPU`), which lags by some seconds. */
export function usedInSummary(body: string): ReadonlyMap<string, number> {
  const logical = valueAt(parsedJson(body), 'data', 'nodeLogicalResources');
  const used = new Map<string, number>();
  for (const [id, text] of Object.entries(isRecord(logical) ? logical : {})) {
    const count = /^([\d.]+)\/[\d.]+ GPU$/m.exec(String(text))?.[1];
    if (count !== undefined) used.set(id, Number(count));
  }
  return used;
}
