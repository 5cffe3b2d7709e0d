import { ask } from './ask';
import type { Source } from './ask';
import { Backoff } from './timers';
import type { Launch } from './launch';
import { rekeyed } from './rekey';
import type { LineStream, ToolRunner } from './runner';
import { MEASURES } from './sample';
import type { GpuSample } from './sample';
import type { SleepWatch } from './sleep';
import type { Timers } from './timers';
import type { ToolError, ToolOutput, ToolReading } from './tool';

export type SamplerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live'; readonly by: 'stream' | 'query' }
  /** The GPUs are suspended; they are not woken for a reading. */
  | { readonly kind: 'asleep' }
  /** No data arrives; the last samples are old. */
  | { readonly kind: 'failing'; readonly error: ToolError; readonly nextTryMs: number };

export interface CollectorOptions {
  readonly intervalMs: number;
  readonly launch: Launch;
  readonly timers: Timers;
  readonly sleep: SleepWatch;
  /** Whether the tool's own loop may be used, which needs one process for all ticks. */
  readonly mayStream: boolean;
}

interface Sink {
  samples(samples: readonly GpuSample[]): void;
  state(state: SamplerState): void;
}

/** A tool that is silent for this long plus three intervals counts as stuck; the first tick may take longer. */
const PATIENCE_MS = 5000;
const FIRST_PATIENCE_MS = 20_000;
const QUERY_TIMEOUT_MS = 10_000;

/** After this many ticks without a number, or streams without a tick, the loop is not used again. */
const HOPELESS = 2;

/**
 * One sampling session, from start to stop: streams if the tool can loop by itself, else queries, with growing
 * pauses on failures. Nothing new is started while an abandoned process still exists.
 */
export class Collector {
  private readonly backoff: Backoff;
  private unknownFields: readonly string[];
  private stream: LineStream | null = null;
  private hopeless = 0;
  private isStopped = false;
  private cancel: () => void = () => undefined;

  constructor(
    private readonly source: Source,
    private readonly options: CollectorOptions,
    private readonly runner: ToolRunner,
    private readonly sink: Sink,
  ) {
    this.backoff = new Backoff(options.intervalMs);
    this.unknownFields = source.unknownFields;
  }

  start(): void {
    this.sink.state({ kind: 'connecting' });
    void this.round();
  }

  stop(): void {
    this.isStopped = true;
    this.cancel();
    this.runner.dispose();
  }

  /** Waits while the GPUs sleep or an old process exists; else streams or queries. */
  private async round(): Promise<void> {
    const { sleep, mayStream, intervalMs } = this.options;
    const isAsleep = await sleep.isAsleep();
    const streams = mayStream && this.hopeless < HOPELESS && !(await sleep.maySleep());
    if (this.isStopped) return;
    if (isAsleep) this.sink.state({ kind: 'asleep' });
    if (isAsleep || this.runner.isBusy) this.again(intervalMs);
    else if (streams) this.startStream();
    else await this.query();
  }

  private again(ms: number): void {
    this.cancel();
    this.cancel = this.options.timers.after(ms, () => void this.round());
  }

  private async query(): Promise<void> {
    const { timers, intervalMs } = this.options;
    const answer = await ask(this.runner, this.source.tool, this.unknownFields, timers, QUERY_TIMEOUT_MS);
    if (this.isStopped) return;
    this.unknownFields = answer.unknownFields;
    if (answer.reading.samples.length === 0) {
      this.failed(this.errorIn(answer.reading));
    } else {
      this.succeeded(answer.reading.samples, 'query');
      this.again(Math.max(intervalMs, this.source.tool.leastIntervalMs ?? 0));
    }
  }

  private startStream(): void {
    const { tool } = this.source;
    const args = tool.stream(this.unknownFields, this.options.intervalMs);
    if (args === null) {
      this.hopeless = HOPELESS;
      this.again(0);
      return;
    }
    const reader = tool.streamReader(args, this.source.devices);
    let ticks = 0;
    this.stream = this.runner.stream(args, {
      line: text => {
        if (this.isStopped) return;
        for (const reading of reader.line(text, this.options.timers.now())) {
          ticks += 1;
          this.tick(reading);
        }
      },
      end: output => {
        if (!this.isStopped) this.streamEnded(args, output, ticks);
      },
    });
    this.watch(FIRST_PATIENCE_MS);
  }

  private tick(reading: ToolReading): void {
    this.watch(PATIENCE_MS + 3 * this.options.intervalMs);
    if (reading.samples.some(hasNumber)) {
      this.hopeless = 0;
      this.succeeded(reading.samples, 'stream');
      return;
    }
    // Some fields make a loop print only [Unknown Error] after its first row; single queries still work then.
    this.hopeless += 1;
    if (this.hopeless >= HOPELESS) this.stream?.stop();
  }

  private streamEnded(args: readonly string[], output: ToolOutput, ticks: number): void {
    if (this.stream === null) return;
    this.stream = null;
    const reading = this.source.tool.read(args, output, this.options.timers.now());
    const field = reading.error && this.source.tool.unknownField(reading.error);
    const isNew = field !== null && !this.unknownFields.includes(field);
    if (isNew) this.unknownFields = [...this.unknownFields, field];
    else if (ticks === 0) this.hopeless += 1;
    if (isNew || this.hopeless >= HOPELESS) this.again(0);
    else this.failed(this.errorIn(reading));
  }

  /** Abandons a stream that goes silent. */
  private watch(ms: number): void {
    this.cancel();
    this.cancel = this.options.timers.after(ms, () => {
      this.stream?.stop();
      this.stream = null;
      this.failed(this.source.tool.problem('timed-out', ''));
    });
  }

  private succeeded(samples: readonly GpuSample[], by: 'stream' | 'query'): void {
    this.backoff.reset();
    this.sink.state({ kind: 'live', by });
    this.sink.samples(rekeyed(this.source, samples));
  }

  private errorIn(reading: ToolReading): ToolError {
    return reading.error ?? this.source.tool.problem('unreadable', '');
  }

  private failed(error: ToolError): void {
    const pause = this.backoff.next();
    this.sink.state({ kind: 'failing', error, nextTryMs: this.options.timers.now() + pause });
    this.again(pause);
  }
}

function hasNumber(sample: GpuSample): boolean {
  return MEASURES.some(measure => sample[measure] !== null);
}
