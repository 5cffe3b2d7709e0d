import type { Adapter } from '../adapters';
import type { Host, MachineLoad } from '../fleet';
import type { Child, ChildEnd, Launch } from '../launch';
import type { MachineKind } from '../machine';
import type { HttpGet } from '../../remote/http';
import type { SleepWatch } from '../sleep';
import type { Timers } from '../timers';
import type { RecordedHost, RecordedMachine, RecordedRequest, RecordedRun, RecordedText } from './recording';

/** Longer recordings are truncated at the end: hours of watching are not a bug report. */
const MOST_CHARACTERS = 32 * 2 ** 20;

interface OpenRun {
  readonly run: Omit<RecordedRun, 'output' | 'end'>;
  readonly output: RecordedText[];
  end: RecordedRun['end'];
}

/** Records one host's queries and answers. */
export class HostRecorder {
  private readonly startedMs: number;
  private readonly runs: OpenRun[] = [];
  private readonly requests: RecordedRequest[] = [];
  private characters = 0;
  private platform: string = process.platform;
  private machine: RecordedMachine | null = null;

  constructor(
    private readonly host: Host,
    private readonly timers: Timers,
  ) {
    this.startedMs = timers.now();
  }

  recorded(): RecordedHost {
    const { host, platform, startedMs, machine, requests } = this;
    const runs = this.runs.map(({ run, output, end }) => ({ ...run, output, end }));
    return { host, platform, startedMs, machine, runs, requests };
  }

  /** Wraps a machine to record it. */
  readonly tap = (kind: MachineKind): MachineKind => {
    const { platform, adapters, launch } = kind.system;
    this.platform = platform;
    this.machine = { mayStream: kind.mayStream, isAsleep: false, adapters: [], load: null };
    const noted = (more: Partial<RecordedMachine>) => {
      if (this.machine) this.machine = { ...this.machine, ...more };
    };
    return {
      ...kind,
      system: {
        ...kind.system,
        launch: this.launch(launch),
        adapters: () => recorded(adapters(), (found: readonly Adapter[]) => noted({ adapters: found })),
      },
      load: () => recorded(kind.load(), (load: MachineLoad | null) => noted({ load })),
      sleepOf: source => recordedSleep(kind.sleepOf(source), noted),
    };
  };

  /** Wraps a launcher to record the output of its programs. */
  readonly launch =
    (launch: Launch): Launch =>
    (program, args) => {
      const open: OpenRun = { run: { program, args, atMs: this.nowMs() }, output: [], end: null };
      this.runs.push(open);
      return this.recordedChild(launch(program, args), open);
    };

  /** Wraps a server to record its answers. */
  readonly http = (http: HttpGet): HttpGet => ({
    close: () => http.close(),
    get: async (path, timeoutMs) => {
      const atMs = this.nowMs();
      const answer = await http.get(path, timeoutMs);
      const [status, body] = answer.ok ? [answer.status, answer.body] : [0, answer.text];
      this.characters += body.length;
      if (this.characters < MOST_CHARACTERS) {
        this.requests.push({ path, atMs, endMs: this.nowMs(), status, body });
      }
      return answer;
    },
  });

  private recordedChild(child: Child, open: OpenRun): Child {
    return {
      stop: () => child.stop(),
      onText: listener =>
        child.onText((stream, text) => {
          this.recordText(open, stream, text);
          listener(stream, text);
        }),
      onEnd: listener =>
        child.onEnd((end: ChildEnd) => {
          open.end = { ...end, atMs: this.nowMs() };
          listener(end);
        }),
    };
  }

  private recordText({ output }: OpenRun, stream: 'stdout' | 'stderr', text: string): void {
    this.characters += text.length;
    if (this.characters > MOST_CHARACTERS) return;
    const atMs = this.nowMs();
    const last = output.at(-1);
    if (last?.[1] === stream && last[0] === atMs) output[output.length - 1] = [atMs, stream, last[2] + text];
    else output.push([atMs, stream, text]);
  }

  private nowMs(): number {
    return this.timers.now() - this.startedMs;
  }
}

async function recorded<T>(reading: Promise<T>, note: (answer: T) => void): Promise<T> {
  const answer = await reading;
  note(answer);
  return answer;
}

function recordedSleep(sleep: SleepWatch, note: (more: Partial<RecordedMachine>) => void): SleepWatch {
  return {
    isAsleep: () => recorded(sleep.isAsleep(), isAsleep => note({ isAsleep })),
    maySleep: () =>
      recorded(sleep.maySleep(), maySleep => {
        if (maySleep) note({ mayStream: false });
      }),
  };
}
