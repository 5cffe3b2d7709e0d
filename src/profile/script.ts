import { answerOf, failureOf, ProfileError, refusalOf, textOf } from './answers';
import type { Fields } from './answers';
import { ask } from './child';
import type { Ended } from './child';
import type { Signal } from '../core/signal';

/** The user's Python, and Headroom's scripts for it. */
export interface Interpreter {
  readonly executable: string;
  /** The path of `start.py` of `src/python`. */
  readonly script: string;
}

interface Conversation {
  readonly request: object;
  readonly folder: string | null;
  readonly timeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly progress: (text: string) => void;
}

/** Sends one request to the scripts and returns their result. Every failure is a ProfileError. */
export async function converse(
  { executable, script }: Interpreter,
  { request, folder, timeoutMs, environment = {}, progress }: Conversation,
  signal: Signal,
): Promise<Fields> {
  const results: Fields[] = [];
  const problems: ProfileError[] = [];
  const childRequest = {
    executable,
    args: [script],
    input: JSON.stringify(request),
    folder,
    environment,
    timeoutMs,
  };
  const ended = await ask(childRequest, signal, text => {
    const { kind, ...fields } = answerOf(text);
    if (kind === 'progress') progress(textOf(fields['text']));
    else if (kind === 'result' || kind === 'versions') results.push(fields);
    else if (kind === 'refused') problems.push(refusalOf(fields));
    else if (kind === 'failed') problems.push(failureOf(fields));
  });
  if (ended.why === 'aborted') throw new ProfileError('aborted', 'It was canceled.');
  if (ended.why === 'timed-out') {
    const seconds = Math.round(timeoutMs / 1000);
    throw new ProfileError(
      'timed-out',
      `${executable} was stopped because it took longer than ${seconds} s.`,
    );
  }
  if (ended.why !== 'exited') {
    throw new ProfileError('python', `Couldn't start ${executable}. Choose a Python with --python PATH.`);
  }
  const [problem] = problems;
  const result = results.at(-1);
  if (problem) throw problem;
  if (!result) throw new ProfileError('failed', silence(executable, ended));
  return result;
}

function silence(executable: string, { exitCode, signal, stderr }: Ended): string {
  // The last line of what it printed says nothing about that.
  if (signal === 'SIGKILL') {
    return `${executable} was killed (SIGKILL): by another process, or because host RAM ran out.`;
  }
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const detail = last === '' ? '' : `: ${last.slice(0, 300)}`;
  return `${executable} ended without an answer (exit code ${exitCode ?? signal ?? 'none'})${detail}.`;
}
