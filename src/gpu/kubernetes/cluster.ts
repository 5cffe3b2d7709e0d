import { failed } from '../clusterWatch';
import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { HttpAnswer, HttpGet } from '../../remote/http';
import { parsedJson, textIn, valueAt } from '../../core/text/json';
import type { JsonRecord } from '../../core/text/json';
import { capacitiesOf } from './capacity';
import { recordsAt } from './resources';

/** Why a cluster did not list its nodes. */
function kubeProblem(answer: HttpAnswer): ClusterAnswer {
  if (!answer.ok) {
    const message =
      answer.why === 'timed-out' ? 'The API server timed out.' : 'The API server can’t be reached.';
    return failed(
      'unreachable',
      message,
      'Run `kubectl get nodes`; check VPN, login and context.',
      answer.text,
    );
  }
  const said = textIn(valueAt(parsedJson(answer.body), 'message')) ?? '';
  if (answer.status === 401) {
    const message = 'The API server rejects the login of the kubeconfig.';
    return failed('auth-needed', message, 'Log in again, so that `kubectl get nodes` works.', said, true);
  }
  if (answer.status === 403) {
    const todo = 'Ask for the right to list nodes and pods (the cluster role `view` has no nodes).';
    return failed('auth-needed', 'You may not list the nodes of this cluster.', todo, said, true);
  }
  const message = `This address answers, but not as a Kubernetes API server (${answer.status}).`;
  return failed('driver-error', message, 'Check `server` in the kubeconfig.', said);
}

const noKubeconfig = (why: string): ClusterAnswer =>
  failed('auth-needed', why, 'Set KUBECONFIG, or make `kubectl get nodes` work.', '', true);

const TIMEOUT_MS = 20_000;
/** Larger lists would be one large answer; the server ends a page that it no longer has. */
const PAGE = 500;
const MOST_PAGES = 200;

/** Pods that hold nothing are left out by the server. */
const RUNNING = encodeURIComponent('status.phase!=Succeeded,status.phase!=Failed');

export const KUBE_PATHS = {
  version: '/version',
  nodes: `/api/v1/nodes?limit=${PAGE}`,
  pods: `/api/v1/pods?limit=${PAGE}&fieldSelector=${RUNNING}`,
} as const;

/** What the kubeconfig leads to; opened on the first question, because its library is large. */
type OpenKube = () => Promise<
  { readonly ok: true; readonly api: HttpGet } | { readonly ok: false; readonly why: string }
>;

type Listed =
  | { readonly ok: true; readonly items: readonly JsonRecord[] }
  | { readonly ok: false; readonly answer: HttpAnswer };

/** Kubernetes through its API server: lists of nodes and pods. It only reads. */
export class KubernetesCluster implements Cluster {
  private api: HttpGet | null = null;
  private collector: string | null = null;

  constructor(private readonly open: OpenKube) {}

  async ask(): Promise<ClusterAnswer> {
    if (this.api === null) {
      const opened = await this.open();
      if (!opened.ok) return noKubeconfig(opened.why);
      this.api = opened.api;
    }
    const { api } = this;
    const nodes = await listed(api, KUBE_PATHS.nodes);
    if (!nodes.ok) return kubeProblem(nodes.answer);
    const pods = await listed(api, KUBE_PATHS.pods);
    this.collector ??= await version(api);
    const capacities = capacitiesOf(nodes.items, pods.ok ? pods.items : null);
    const message =
      capacities.length === 0
        ? 'No node of this cluster has GPUs that a device plugin offers.'
        : pods.ok
          ? null
          : 'Pods of all namespaces can’t be listed, so that free GPUs are unknown.';
    return { ok: true, reading: { capacities }, collector: this.collector, message };
  }

  close(): void {
    this.api?.close();
    this.api = null;
    this.collector = null;
  }
}

async function listed(api: HttpGet, path: string): Promise<Listed> {
  const items: JsonRecord[] = [];
  let next: string | null = null;
  for (let page = 0; page < MOST_PAGES; page++) {
    const rest: string = next === null ? '' : `&continue=${encodeURIComponent(next)}`;
    const answer = await api.get(path + rest, TIMEOUT_MS);
    const list = answer.ok && answer.status === 200 ? parsedJson(answer.body) : null;
    if (!/^(?:Node|Pod)List$/.test(String(valueAt(list, 'kind')))) return { ok: false, answer };
    items.push(...recordsAt(list, 'items'));
    next = textIn(valueAt(list, 'metadata', 'continue'));
    if (next === null) break;
  }
  return { ok: true, items };
}

async function version(api: HttpGet): Promise<string> {
  const answer = await api.get(KUBE_PATHS.version, TIMEOUT_MS);
  const text = answer.ok ? textIn(valueAt(parsedJson(answer.body), 'gitVersion')) : null;
  return text === null ? 'Kubernetes' : `Kubernetes ${text.replace(/^v/, '').slice(0, 40)}`;
}
