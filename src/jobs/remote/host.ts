import { relative, resolve, sep } from 'node:path';
import type { Signal } from '../../core/signal';
import type { Answer } from '../../remote/answers';
import { NoAnswer } from '../../remote/calls';
import type { Shells } from '../../remote/shells';
import { sshTrouble } from '../../remote/sshTroubles';
import { JobError } from '../engine';
import { HOST_MESSAGES } from './hostScript';

/** The time limit of one request to a host. */
const ASK_MS = 30_000;
/** A login shell may take long to set up its PATH. */
export const BEGIN_MS = 90_000;

/** The maximum size of one piece of output. */
export const PIECE_BYTES = 1024 * 1024;

/** Calls a host's script; a failure becomes a JobError with a message for the user. null: this machine. */
async function ask(
  shells: Shells,
  alias: string | null,
  words: readonly string[],
  signal: Signal,
  timeoutMs = ASK_MS,
): Promise<Answer> {
  try {
    return await shells.at(alias).call(words, timeoutMs, signal);
  } catch (error) {
    if (error instanceof NoAnswer) throw unreachable(error, alias);
    throw error;
  }
}

/** The same, but only status 0 counts as success. */
export async function askFor(
  shells: Shells,
  alias: string | null,
  words: readonly string[],
  signal: Signal,
  timeoutMs = ASK_MS,
): Promise<Answer> {
  const answer = await ask(shells, alias, words, signal, timeoutMs);
  if (answer.status === 0) return answer;
  throw refusal(answer, alias);
}

/** There was no answer. */
export class Unreachable extends JobError {
  constructor(
    message: string,
    text: string | null,
    /** The request may have been carried out. */
    readonly wasSent: boolean,
    readonly isAborted: boolean,
    /** Whether retrying automatically could help. */
    readonly mayComeBack: boolean,
  ) {
    super('unreachable', message, text);
  }
}

function unreachable(error: NoAnswer, alias: string | null): Unreachable {
  const name = alias ?? 'This machine';
  if (error.why === 'aborted') {
    return new Unreachable(`The request to ${name} was canceled.`, null, error.wasSent, true, false);
  }
  if (error.end === null || alias === null) {
    return new Unreachable(`${name} does not answer.`, null, error.wasSent, false, true);
  }
  const { message, todo, text, again } = sshTrouble(error.end, alias);
  const sentence = todo === null ? message : `${message} ${todo}`;
  return new Unreachable(sentence, text, error.wasSent, false, again === 'soon');
}

const KINDS: Readonly<Record<number, JobError['kind']>> = {
  67: 'no-program',
  70: 'no-tool',
  72: 'unreachable',
  73: 'disk',
  75: 'busy',
};

/** `sbatch: error: Batch job submission failed: Requested node configuration is not available` */
const slurmReason = (line: string): string => `${line.split(': ').at(-1) ?? line}.`;

/** The error for a status of the script. */
function refusal({ status, stderr }: Answer, alias: string | null): JobError {
  const name = alias ?? 'this machine';
  const lastLine = stderr.trim().split('\n').at(-1) ?? '';
  const known = HOST_MESSAGES[status]?.replaceAll('ALIAS', name);
  if (status === 71) return new JobError('refused', `Slurm refused: ${slurmReason(lastLine)}`, lastLine);
  const kind = KINDS[status] ?? 'refused';
  return new JobError(
    kind,
    known ?? `${name} couldn't run a step that the job needs.`,
    lastLine === '' ? null : lastLine,
  );
}

/** The rest of the first line with this word; null if there is none. */
export const firstValue = (answer: Answer, word: string): string | null =>
  answer.entries.find(([first]) => first === word)?.[1] ?? null;

/** The rest of every line with this word. */
export const allValues = (answer: Answer, word: string): readonly string[] =>
  answer.entries.filter(([first]) => first === word).map(([, rest]) => rest);

/**
 * A command with paths for the host: an argument that names a file below the local folder, alone or after `--key=`,
 * becomes relative to the copied folder.
 */
export function remoteArgv(argv: readonly string[], folder: string): readonly string[] {
  return argv.map(word => {
    const [, key = '', path = ''] = /^(--?[\w.-]+=)?(.*)$/s.exec(word) ?? [];
    return key + remotePath(path, folder);
  });
}

/** A path below the folder, relative to it and with slashes; any other path is unchanged. */
export function remotePath(path: string, folder: string): string {
  const root = resolve(folder);
  if (path !== root && !path.startsWith(root.endsWith(sep) ? root : root + sep)) return path;
  const inside = relative(root, path).split(sep).join('/');
  return inside === '' ? '.' : inside;
}
