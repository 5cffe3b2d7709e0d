import { failed } from '../clusterWatch';
import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { HttpAnswer, HttpGet } from '../../remote/http';
import { dcgm } from '../tools/dcgm';
import type { Timers } from '../timers';
import { isRecord, parsedJson, textIn, valueAt } from '../../core/text/json';

/** Labels that say which GPU a value belongs to; others, such as those of scrapes, are left out. */
const LABELS = [
  ...['gpu', 'UUID', 'Hostname', 'modelName', 'pci_bus_id', 'DCGM_FI_DRIVER_VERSION'],
  ...['GPU_I_ID', 'GPU_I_PROFILE'],
];

/** Metrics that are read. A server may have thousands of others. */
const QUERY =
  '{__name__=~"DCGM_FI_DEV_(GPU_UTIL|MEM_COPY_UTIL|FB_USED|FB_FREE|FB_RESERVED|FB_TOTAL|GPU_TEMP|MEMORY_TEMP|POWER_USAGE|POWER_MGMT_LIMIT|FAN_SPEED|SM_CLOCK|MEM_CLOCK)"}';

/** The instant query of Prometheus's HTTP API. */
export const QUERY_PATH = `/api/v1/query?query=${encodeURIComponent(QUERY)}`;

/** An answer of Prometheus as an exporter would print it; null if it is not one. */
export function queriedText(body: string): string | null {
  const answer = parsedJson(body);
  const result = valueAt(answer, 'data', 'result');
  if (textIn(valueAt(answer, 'status')) !== 'success' || !Array.isArray(result)) return null;
  return result.filter(isRecord).flatMap(lineOf).join('\n');
}

function lineOf(one: Readonly<Record<string, unknown>>): readonly string[] {
  const { metric, value } = one;
  if (!isRecord(metric) || !Array.isArray(value)) return [];
  const [name, amount] = [textIn(metric['__name__']), textIn(value[1])];
  if (name === null || amount === null || !/^[\w:]{1,80}$/.test(name)) return [];
  const labels = LABELS.flatMap(label => {
    const text = textIn(metric[label]);
    return text === null || /["\\\n]/.test(text) ? [] : [`${label}="${text}"`];
  });
  return [`${name}{${labels.join(',')}} ${amount}`];
}

const TIMEOUT_MS = 10_000;
const EXPORTER_PATH = '/metrics';

/** GPUs as DCGM's exporter reports them: read from the exporter itself, or from a Prometheus server that scrapes it. */
export class MetricsSource implements Cluster {
  /** The path that answered last. */
  private path: string | null = null;

  constructor(
    private readonly http: HttpGet,
    private readonly timers: Timers,
  ) {}

  async ask(): Promise<ClusterAnswer> {
    const paths = this.path === null ? [QUERY_PATH, EXPORTER_PATH] : [this.path];
    let last: HttpAnswer | null = null;
    for (const path of paths) {
      const answer = await this.http.get(path, TIMEOUT_MS);
      last = answer;
      if (!answer.ok) break;
      const text = textOf(path, answer.status, answer.body);
      if (text === null) continue;
      this.path = path;
      return this.read(text, path === QUERY_PATH ? 'Prometheus' : 'exporter');
    }
    this.path = null;
    return problemOf(last);
  }

  close(): void {
    this.http.close();
    this.path = null;
  }

  private read(text: string, from: string): ClusterAnswer {
    const output = { stdout: text, stderr: '', exitCode: 0 };
    const { devices, samples } = dcgm.read([], output, this.timers.now());
    const message =
      devices.length > 0 ? null : `This ${from} has no metrics of DCGM (DCGM_FI_DEV_…), so no GPU is shown.`;
    return { ok: true, reading: { devices, samples }, collector: `DCGM, ${from}`, message };
  }
}

/** The exporter's text in an answer; null if the answer is none. */
function textOf(path: string, status: number, body: string): string | null {
  if (status !== 200) return null;
  if (path === QUERY_PATH) return queriedText(body);
  return /^(?:# (?:HELP|TYPE) |\w+(?:\{|\s))/.test(body.trimStart().slice(0, 200)) ? body : null;
}

function problemOf(answer: HttpAnswer | null): ClusterAnswer {
  if (!answer?.ok) {
    const message = answer?.why === 'timed-out' ? 'The address timed out.' : 'The address is unreachable.';
    return failed(
      'unreachable',
      message,
      'Check that the exporter runs, and the address and port.',
      answer?.text,
    );
  }
  const { status } = answer;
  if (status === 401 || status === 403) {
    const todo = 'Use an address without a login, for example through `ssh -L 9090:127.0.0.1:9090 HOST`.';
    return failed('auth-needed', 'The address needs a login, which Headroom does not have.', todo, '', true);
  }
  const message =
    status >= 300 && status < 400
      ? 'The address redirects elsewhere, and Headroom does not follow redirects.'
      : `This address answers, but not with metrics (${status}).`;
  return failed('driver-error', message, 'Use the address of dcgm-exporter or of a Prometheus server.');
}
