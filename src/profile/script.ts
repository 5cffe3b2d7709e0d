import type { Signal } from '../core/ports';
import { ask } from './child';

/** What went wrong, for people: what happened and what to do. */
export class ProfileError extends Error {
  constructor(
    readonly kind:
      'python' | 'packages' | 'version' | 'cannot' | 'failed' | 'timed-out' | 'aborted' | 'protocol',
    message: string,
  ) {
    super(message);
  }
}

/** A Python of the user's, and Headroom's scripts for it. */
export interface Interpreter {
  readonly executable: string;
  /** `start.py` of `src/python`, where it was put. */
  readonly script: string;
}

export interface Conversation {
  readonly request: object;
  readonly folder: string | null;
  readonly timeoutMs: number;
  readonly environment?: Readonly<Record<string, string>>;
  readonly progress: (text: string) => void;
  /** Answers other than progress and the result, as they come. */
  readonly heard?: (kind: string, fields: Fields) => void;
}

export type Fields = Readonly<Record<string, unknown>>;

/** One request to the scripts and their result. Everything that goes wrong is a ProfileError. */
export async function converse(
  { executable, script }: Interpreter,
  { request, folder, timeoutMs, environment = {}, progress, heard }: Conversation,
  signal: Signal,
): Promise<Fields> {
  const results: Fields[] = [];
  const problems: ProfileError[] = [];
  const asked = {
    executable,
    args: [script],
    input: JSON.stringify(request),
    folder,
    environment,
    timeoutMs,
  };
  const ended = await ask(asked, signal, text => {
    const { kind, ...fields } = answerOf(text);
    if (kind === 'progress') progress(textOf(fields['text']));
    else if (kind === 'result' || kind === 'versions') results.push(fields);
    else if (kind === 'refused') problems.push(refusalOf(fields));
    else if (kind === 'failed') problems.push(failureOf(fields));
    else if (typeof kind === 'string') heard?.(kind, fields);
  });
  if (ended.why === 'aborted') throw new ProfileError('aborted', 'It was cancelled.');
  if (ended.why === 'timed-out') {
    const seconds = Math.round(timeoutMs / 1000);
    throw new ProfileError('timed-out', `${executable} was ended: it took longer than ${seconds} s.`);
  }
  if (ended.why !== 'exited') {
    throw new ProfileError('python', `${executable} cannot be started: name a Python with --python PATH.`);
  }
  const [problem] = problems;
  const result = results.at(-1);
  if (problem) throw problem;
  if (!result) throw new ProfileError('failed', silence(executable, ended.exitCode, ended.stderr));
  return result;
}

function answerOf(line: string): Fields {
  try {
    const answer: unknown = JSON.parse(line);
    return typeof answer === 'object' && answer !== null ? (answer as Fields) : {};
  } catch {
    return {};
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const KINDS: Readonly<Record<string, ProfileError['kind']>> = {
  packages: 'packages',
  version: 'version',
  protocol: 'protocol',
};

function refusalOf(fields: Fields): ProfileError {
  const sentence = `${textOf(fields['sentence'])}.`;
  const missing = Array.isArray(fields['missing']) ? fields['missing'].map(textOf) : [];
  const how = missing.length > 0 ? ` ${installing(textOf(fields['executable']), missing)}` : '';
  return new ProfileError(KINDS[textOf(fields['what'])] ?? 'cannot', sentence + how);
}

/** The command for people to run; Headroom installs nothing. */
function installing(executable: string, missing: readonly string[]): string {
  const python = executable === '' ? 'python' : executable;
  return `Install it there: ${/\s/.test(python) ? `"${python}"` : python} -m pip install ${missing.join(' ')}`;
}

function failureOf(fields: Fields): ProfileError {
  const place = fields['place'] ? ` (${textOf(fields['place'])})` : '';
  return new ProfileError('failed', `The run's own code failed: ${textOf(fields['error'])}${place}.`);
}

function silence(executable: string, exitCode: number | null, stderr: string): string {
  const last = stderr.trim().split('\n').at(-1) ?? '';
  const said = last === '' ? '' : `: ${last.slice(0, 300)}`;
  return `${executable} ended without an answer (exit code ${exitCode ?? 'none'})${said}.`;
}
