import { readFile } from 'node:fs/promises';
import { isRecord, parsedJson, valueAt } from '../core/text/json';
import { isSecret, redactedArguments } from '../core/text/redact';
import type { JobRecord, JobRequest } from './job';

/** What a job was given that no record, screen or log may hold: a file of its own that only its user can read. */
export interface KeptSecrets {
  /** Words of the command by their place. */
  readonly argv: Readonly<Record<string, string>>;
  /** The same of the command that goes on. */
  readonly resume: Readonly<Record<string, string>>;
  /** Variables with their values. */
  readonly environment: Readonly<Record<string, string>>;
}

/** A request as it may be shown and written, and what was taken out of it; null: nothing was. */
export interface SealedRequest {
  readonly request: JobRequest;
  readonly kept: KeptSecrets | null;
}

/** Takes out what is secret by its name or its form; names of variables stay, as those of secrets. */
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

/** True where the command itself has a secret: it must not leave this machine, where it would be written down. */
export const hidesWords = ({ argv, resume }: KeptSecrets): boolean =>
  Object.keys(argv).length + Object.keys(resume).length > 0;

/** A command with its secrets in their places. */
export const withWords = (
  argv: readonly string[],
  words: Readonly<Record<string, string>>,
): readonly string[] => argv.map((word, at) => words[at] ?? word);

/** A record as it was asked for. */
export function unsealed(record: JobRecord, { argv, resume, environment }: KeptSecrets): JobRecord {
  return {
    ...record,
    argv: withWords(record.argv, argv),
    ...(record.resume && { resume: withWords(record.resume, resume) }),
    environment: { ...record.environment, ...environment },
    secrets: record.secrets.filter(name => !(name in environment)),
  };
}

/** What was kept of a job; null where nothing was, or it is gone. */
export async function readSecrets(path: string): Promise<KeptSecrets | null> {
  const value = parsedJson(await readFile(path, 'utf8').catch(() => ''));
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
