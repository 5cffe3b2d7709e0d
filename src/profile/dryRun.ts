import { createHash } from 'node:crypto';
import type { TermName } from '../core/models/terms';
import type { DryRunRequest, DryRunResult } from './request';
import type { Fields } from './answers';
import { termsWithAdded, withAdded } from './added';
import type { Added } from './added';
import { ProfileError } from './answers';
import { converse } from './script';
import type { Interpreter } from './script';
import type { Signal } from '../core/signal';

interface DryRunOptions {
  readonly timeoutMs: number;
  /** The folder whose modules its code may import; null: none. */
  readonly folder: string | null;
  readonly progress: (text: string) => void;
}

/** Runs a run's code without data and reports what was alive when. Every failure is a ProfileError. */
export async function dryRun(
  interpreter: Interpreter,
  request: DryRunRequest,
  { timeoutMs, folder, progress }: DryRunOptions,
  signal: Signal,
): Promise<DryRunResult> {
  return resultOf(await converse(interpreter, { request, folder, timeoutMs, progress }, signal));
}

/** The installed releases, without importing anything. */
export async function versionsIn(
  interpreter: Interpreter,
  signal: Signal,
): Promise<Readonly<Record<string, string>>> {
  const request = { protocol: 1, task: 'versions' };
  const conversation = { request, folder: null, timeoutMs: VERSIONS_MS, progress: () => undefined };
  return textsOf((await converse(interpreter, conversation, signal))['versions']);
}

const VERSIONS_MS = 20_000;

/** A digest of a request with its additions: the same digest and releases give the same result. */
export function digestOf(request: DryRunRequest, added: Added | null): string {
  const text = JSON.stringify({ ...request, cacheFolder: '', ...(added && { added: added.phases }) });
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** The highest moment of the run (of equal ones the later), and what was alive then. */
export interface Peak {
  readonly phase: string;
  readonly bytes: number;
  readonly terms: Readonly<Partial<Record<TermName, number>>>;
}

export function peakOf(
  { phases: counted, alive }: Pick<DryRunResult, 'phases' | 'alive'>,
  added: Added | null = null,
): Peak {
  const [phase, bytes] = Object.entries(withAdded(counted, added)).reduce((most, one) =>
    one[1] >= most[1] ? one : most,
  );
  return { phase, bytes, terms: termsWithAdded(termsOf(alive[phase] ?? {}), phase, added) };
}

const TERMS: Readonly<Record<string, TermName>> = {
  weights: 'weights',
  adapters: 'adapters',
  gradients: 'gradients',
  'optimizer states': 'optimizer states',
  activations: 'activations',
  logits: 'logits and loss',
  temporaries: 'temporaries',
  kernels: 'temporaries',
  inputs: 'inputs and buffers',
  buffers: 'inputs and buffers',
};

function termsOf(alive: Readonly<Record<string, number>>): Readonly<Partial<Record<TermName, number>>> {
  const sums: Partial<Record<TermName, number>> = {};
  for (const [name, bytes] of Object.entries(alive)) {
    const term = TERMS[name] ?? 'temporaries';
    sums[term] = (sums[term] ?? 0) + bytes;
  }
  return sums;
}

function resultOf(fields: Fields): DryRunResult {
  const phases = numbersOf(fields['phases']);
  if (Object.keys(phases).length === 0) {
    throw new ProfileError('protocol', 'The dry run ended without a memory report.');
  }
  const alive = Object.entries(objectOf(fields['alive'])).map(
    ([phase, found]) => [phase, numbersOf(found)] as const,
  );
  const layers = fields['fromLayers'];
  return {
    versions: textsOf(fields['versions']),
    seconds: numberOf(fields['seconds']) ?? 0,
    phases,
    alive: Object.fromEntries(alive),
    reserved: numberOf(fields['reserved']),
    parameters: numberOf(fields['parameters']) ?? 0,
    trained: numberOf(fields['trained']) ?? 0,
    operations: numberOf(fields['operations']) ?? 0,
    fromLayers: Array.isArray(layers) ? layers.map(Number) : null,
  };
}

const objectOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {};

const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

const numbersOf = (value: unknown): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(objectOf(value)).filter((entry): entry is [string, number] => numberOf(entry[1]) !== null),
  );

const textsOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(objectOf(value)).filter(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    ),
  );
