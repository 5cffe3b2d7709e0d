import { isRecord, parsedJson, valueAt } from '../core/text/json';
import { isSecret, redactedArguments } from '../core/text/redact';
import { boundedText } from '../files/bounded';
import type { JobRecord, JobRequest } from './job';

/** A job's secrets, which no record, screen or log may hold: in a separate file that only its user can read. */
export interface KeptSecrets {
  /** Arguments of the command, by index. */
  readonly argv: Readonly<Record<string, string>>;
  /** Arguments of the resume command, by index. */
  readonly resume: Readonly<Record<string, string>>;
  /** Variables with their values. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A request that is safe to show and store, and the secrets removed from it; null: none. */
export interface SealedRequest {
  readonly request: JobRequest;
  readonly kept: KeptSecrets | null;
}

/** Removes values that are secret by name or form; names of variables stay in `secrets`. */
export function sealed(request: JobRequest): SealedRequest {
  const { argv, resume = null, environment, secrets } = request;
  const shown = redactedArguments(argv);
  const again = resume && redactedArguments(resume);
  const hidden = Object.entries(environment).filter(([name, value]) => isSecret(name, value));
  const kept = {
    argv: hiddenWords(argv, shown),
    resume: hiddenWords(resume ?? [], again ?? []),
    environment: Object.fromEntries(hidden),
  };
  if (Object.values(kept).every(part => Object.keys(part).length === 0)) return { request, kept: null };
  const names = hidden.map(([name]) => name);
  const left = Object.entries(environment).filter(([name]) => !names.includes(name));
  return {
    kept,
    request: {
      ...request,
      argv: shown,
      ...(request.resume !== undefined && { resume: again }),
      environment: Object.fromEntries(left),
      secrets: [...new Set([...secrets, ...names])],
    },
  };
}

const hiddenWords = (words: readonly string[], shown: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(words.flatMap((word, at) => (shown[at] === word ? [] : [[String(at), word]])));

/**
 * Whether the command itself contains a secret: then it must not leave this machine, because other machines would
 * store it.
 */
export const hidesWords = ({ argv, resume }: KeptSecrets): boolean =>
  Object.keys(argv).length + Object.keys(resume).length > 0;

/** A command with its secrets restored. */
export const withWords = (
  argv: readonly string[],
  words: Readonly<Record<string, string>>,
): readonly string[] => argv.map((word, at) => words[at] ?? word);

/** A record as originally requested. */
export function unsealed(record: JobRecord, { argv, resume, environment }: KeptSecrets): JobRecord {
  return {
    ...record,
    argv: withWords(record.argv, argv),
    ...(record.resume && { resume: withWords(record.resume, resume) }),
    environment: { ...record.environment, ...environment },
    secrets: record.secrets.filter(name => !(name in environment)),
  };
}

/** The stored secrets of a job; null if there are none or they are gone. */
export async function readSecrets(path: string): Promise<KeptSecrets | null> {
  const value = parsedJson((await boundedText(path)) ?? '');
  if (!isRecord(value)) return null;
  const part = (name: string): Readonly<Record<string, string>> => {
    const found = valueAt(value, name);
    const texts = isRecord(found) ? Object.entries(found) : [];
    return Object.fromEntries(
      texts.flatMap(([key, text]) => (typeof text === 'string' ? [[key, text]] : [])),
    );
  };
  return { argv: part('argv'), resume: part('resume'), environment: part('environment') };
}
