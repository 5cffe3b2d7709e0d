import { NodeHttp } from '../../remote/http';
import type { HttpAnswer, HttpQuestion } from '../../remote/http';
import { valueAt, isRecord, numberIn, parsedJson, textIn } from '../../core/text/json';
import { oneLine } from '../../remote/words';
import { rayAddress } from '../../remote/rayAddress';
import { parseRayNodes } from '../../remote/rayNodes';
import type { RayNode } from '../../remote/rayNodes';
import { isSameRay, rayToken } from '../../remote/rayToken';
import { JobError } from '../engine';

const TIMEOUT_MS = 15_000;
const UPLOAD_MS = 120_000;

type Variables = Readonly<Record<string, string | undefined>>;

/** A job as Ray reports it; null fields: not reported. */
export interface RayJob {
  readonly status: string;
  readonly message: string | null;
  readonly errorType: string | null;
  readonly startMs: number | null;
  readonly endMs: number | null;
  readonly exitCode: number | null;
  /** The node that it runs or ran on. */
  readonly node: string | null;
}

interface RaySubmission {
  readonly entrypoint: string;
  readonly submission_id: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly runtime_env: object;
  readonly entrypoint_num_gpus: number;
  readonly entrypoint_num_cpus?: number;
  readonly entrypoint_memory?: number;
  readonly entrypoint_label_selector?: Readonly<Record<string, string>>;
}

/** The connection broke: the request may have been carried out. */
export class RayAway extends JobError {
  constructor(message: string, text: string | null) {
    super('unreachable', message, text);
  }
}

/** Ray's Jobs API, through its dashboard. */
export class RayDashboard {
  private constructor(
    private readonly http: NodeHttp,
    private readonly host: string,
    private readonly sendsToken: boolean,
  ) {}

  /**
   * The token comes from the environment, and is sent only to the user's own addresses (`own`) over connections
   * that others cannot read.
   */
  static at(text: string, environment: Variables, own: readonly string[]): RayDashboard {
    const address = rayAddress(text);
    if (!address.ok) throw new JobError('refused', address.why);
    const isOwn = own.some(one => isSameRay(one, address.url));
    const token = rayToken(address, environment, null, isOwn);
    if (!token.ok) throw new JobError('refused', token.why);
    return new RayDashboard(new NodeHttp(address.url, token.token), address.url.host, token.token !== null);
  }

  close(): void {
    this.http.close();
  }

  /** A number that changes with every start of the cluster. */
  async session(): Promise<string | null> {
    return textIn(
      valueAt(parsedJson(await this.text({ method: 'GET', path: '/api/version' })), 'session_name'),
    );
  }

  async nodes(): Promise<readonly RayNode[]> {
    const nodes = parseRayNodes(await this.text({ method: 'GET', path: '/api/v0/nodes?detail=1' }));
    return nodes?.filter(node => node.isAlive) ?? [];
  }

  /** Uploads a package if it is missing; returns its URI for a job. */
  async upload(name: string, bytes: Uint8Array): Promise<string> {
    const path = `/api/packages/gcs/${name}`;
    const existing = await this.ask({ method: 'GET', path });
    if (existing.status !== 200) {
      this.checked(await this.ask({ method: 'PUT', path, bytes }, UPLOAD_MS));
    }
    return `gcs://${name}`;
  }

  /** False if a job with this id already exists. */
  async submit(submission: RaySubmission): Promise<boolean> {
    const answer = await this.ask({ method: 'POST', path: '/api/jobs/', json: submission });
    if (answer.status === 500 && answer.body.includes('already exists')) return false;
    const { entrypoint_label_selector: selector, ...rest } = submission;
    // Releases that do not know this field reject the whole request.
    const isUnknown = answer.status === 400 && answer.body.includes('entrypoint_label_selector');
    if (selector && isUnknown) return this.submit(rest);
    this.checked(answer);
    return true;
  }

  /** Null if Ray does not know the job. */
  async job(id: string): Promise<RayJob | null> {
    const answer = await this.ask({ method: 'GET', path: `/api/jobs/${encodeURIComponent(id)}` });
    if (answer.status === 404) return null;
    const job = parsedJson(this.checked(answer));
    if (!isRecord(job)) {
      throw new JobError('unreachable', `${this.host} is not a Ray dashboard.`);
    }
    return {
      status: textIn(job['status']) ?? '',
      message: textIn(job['message']),
      errorType: textIn(job['error_type']),
      startMs: numberIn(job['start_time']),
      endMs: numberIn(job['end_time']),
      exitCode: numberIn(job['driver_exit_code']),
      node: textIn(job['driver_node_id']),
    };
  }

  /** The whole log. */
  async log(id: string): Promise<Buffer> {
    const path = `/api/jobs/${encodeURIComponent(id)}/logs`;
    const answer = await this.ask({ method: 'GET', path });
    const text = answer.status === 404 ? null : textIn(valueAt(parsedJson(this.checked(answer)), 'logs'));
    return Buffer.from(text ?? '');
  }

  /** A log file of a node; null if it is missing, or the node is gone. */
  async logFile(node: string, name: string): Promise<string | null> {
    const query = new URLSearchParams({ node_id: node, filename: name, lines: '-1', format: 'text' });
    const answer = await this.ask({ method: 'GET', path: `/api/v0/logs/file?${query.toString()}` });
    return answer.status === 404 || answer.status === 500 ? null : this.checked(answer);
  }

  async stop(id: string): Promise<void> {
    await this.ask({ method: 'POST', path: `/api/jobs/${encodeURIComponent(id)}/stop` });
  }

  async forget(id: string): Promise<void> {
    const answer = await this.ask({ method: 'DELETE', path: `/api/jobs/${encodeURIComponent(id)}` });
    if (answer.status !== 404) this.checked(answer);
  }

  private async text(question: HttpQuestion): Promise<string> {
    return this.checked(await this.ask(question));
  }

  private async ask(question: HttpQuestion, timeoutMs = TIMEOUT_MS): Promise<HttpAnswer & { ok: true }> {
    const answer = await this.http.ask(question, timeoutMs);
    if (answer.ok) return answer;
    const what = answer.why === 'timed-out' ? 'timed out' : 'is unreachable';
    throw new RayAway(
      `The Ray dashboard at ${this.host} ${what}. On another machine, reach it with \`ssh -L 8265:127.0.0.1:8265 HOST\`.`,
      oneLine(answer.text),
    );
  }

  private checked({ status, body }: HttpAnswer & { ok: true }): string {
    if (status === 200) return body;
    if (status === 401 || status === 403) {
      const message = this.sendsToken
        ? 'rejects the token in RAY_AUTH_TOKEN'
        : 'requires a token: set RAY_AUTH_TOKEN in the environment; Headroom sends it only to this machine, to the address in RAY_ADDRESS, and over HTTPS to those in your own headroom.hosts';
      throw new JobError('refused', `The Ray dashboard at ${this.host} ${message}.`);
    }
    // On an internal error Ray answers with a traceback; the error is at its end.
    const last = oneLine(body.trim().split('\n').at(-1) ?? '');
    throw new JobError(
      'refused',
      `Ray at ${this.host} refused (${status}): ${last ?? 'no reason given'}`,
      last,
    );
  }
}
