import { ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** How a child process ended. */
export interface TalkEnd {
  readonly exitCode: number | null;
  readonly failure: 'not-found' | 'not-started' | null;
  /** The end of its stderr. */
  readonly stderr: string;
}

/** A child process with its byte streams. */
export interface Talk {
  /** Resolves when there is room for more; false if it can no longer be written to. */
  write(bytes: string | Uint8Array): Promise<boolean>;
  /** Closes its input. */
  end(): void;
  /** `end` is called once the process and its pipes are closed. */
  listen(bytes: (bytes: Buffer) => void, end: (end: TalkEnd) => void): void;
  /** Resumes or pauses its output. */
  flow(isLet: boolean): void;
  /** Whether this process stays alive for it. */
  keep(isWaitedFor: boolean): void;
  stop(): void;
}

const TAIL_CHARACTERS = 4000;

/** The child's working folder, and its environment if it differs from this process's. */
interface TalkRoom {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Starts a program by argv, never through a shell. */
export function nodeTalk(program: string, args: readonly string[], room: TalkRoom = {}): Talk {
  const options = { stdio: 'pipe', windowsHide: true, shell: false, ...room } as const;
  let child: ReturnType<typeof spawn> & { stdin: NodeJS.WritableStream; stdout: Readable; stderr: Readable };
  try {
    child = spawn(program, args, options);
  } catch {
    return NEVER;
  }
  let failure: TalkEnd['failure'] = null;
  let stderr = '';
  let isOpen = true;
  const { stdin, stdout } = child;
  child.on('error', (error: NodeJS.ErrnoException) => {
    failure = error.code === 'ENOENT' ? 'not-found' : 'not-started';
  });
  const close = () => (isOpen = false);
  stdin.on('error', close).on('close', close);
  stdout.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr = (stderr + text).slice(-TAIL_CHARACTERS);
  });
  child.stderr.on('error', () => undefined);
  return {
    write: bytes => (isOpen ? written(stdin, bytes) : Promise.resolve(false)),
    end: () => stdin.end(),
    listen(bytes, end) {
      stdout.on('data', bytes);
      child.once('close', exitCode => end({ exitCode: failure === null ? exitCode : null, failure, stderr }));
    },
    flow(isLet) {
      if (isLet) stdout.resume();
      else stdout.pause();
    },
    keep(isWaitedFor) {
      for (const one of [child, stdin, stdout, child.stderr]) {
        if (!(one instanceof ChildProcess || one instanceof Socket)) continue;
        if (isWaitedFor) one.ref();
        else one.unref();
      }
    },
    stop() {
      isOpen = false;
      stdin.end();
      child.kill('SIGTERM');
    },
  };
}

/** Writing to an ended process fails silently; its `end` reports it. */
function written(stdin: NodeJS.WritableStream, bytes: string | Uint8Array): Promise<boolean> {
  return new Promise(resolve => {
    stdin.write(bytes, error => resolve(!error));
  });
}

/** For arguments that cannot be passed to any program: no process was started. */
const NEVER: Talk = {
  write: () => Promise.resolve(false),
  end: () => undefined,
  listen: (_, end) => queueMicrotask(() => end({ exitCode: null, failure: 'not-started', stderr: '' })),
  flow: () => undefined,
  keep: () => undefined,
  stop: () => undefined,
};
