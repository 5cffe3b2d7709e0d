import { failed } from '../clusterWatch';
import type { Cluster, ClusterAnswer } from '../clusterWatch';
import type { HttpAnswer, HttpGet } from '../../remote/http';
import { dcgm } from '../tools/dcgm';
import type { Timers } from '../timers';
import { QUERY_PATH, queriedText } from './queried';

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
