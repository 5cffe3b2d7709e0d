import type { RunAnalysis } from '../core/rules/analysis';
import type { Measurement } from '../core/learn/measurement';
import type { Files } from '../core/text/files';
import type { ModelSource } from '../core/models/model';
import { configOf } from './configs';
import { digestOf, dryRun, peakOf, versionsIn } from './dryRun';
import type { Peak } from './dryRun';
import { entryRequest } from './entry';
import { withAdded } from './added';
import type { Entry } from './entry';
import { follow } from './follow';
import type { Follow, FollowOptions } from './follow';
import { measurementOf } from './measure';
import type { DryRunResult } from './request';
import type { Interpreter } from './script';
import type { Signal } from '../core/signal';

/** The parts of the world that a dry run uses. */
interface ProfileWorld {
  readonly files: Files;
  readonly models: ModelSource;
}

/** The request for a run's own code, or why there is none. `computed`: its analysis without measurements. */
export async function planDryRun(
  computed: RunAnalysis,
  world: ProfileWorld,
  entry: Entry | null,
  options: FollowOptions,
): Promise<Follow> {
  const { run, model } = computed;
  if (entry) return entryRequest(run, entry, options);
  if (model === null || model.described) {
    const name = run.quantities.model.value ?? 'the model';
    const why = `the architecture of ${name} isn't known; name the function that builds it with --entry module:function`;
    return { ok: false, why: [why] };
  }
  const name = run.quantities.model.value;
  const lookup = name === null ? null : await world.models.find(name, run.sources[0]?.path ?? '');
  const config = await configOf(run, model, lookup, world.files);
  if (!config.ok) return { ok: false, why: [config.why] };
  const followed = follow(run, model, config.model, options);
  return followed.ok ? { ...followed, notes: [...config.notes, ...followed.notes] } : followed;
}

export interface Profiled {
  readonly result: DryRunResult | null;
  readonly peak: Peak;
  readonly measurement: Measurement;
  /** The result comes from an earlier run with the same releases. */
  readonly cached: boolean;
}

interface ProfileOptions {
  readonly timeoutMs: number;
  readonly folder: string | null;
  readonly progress: (text: string) => void;
  /** Earlier results; one with the same request and releases is reused. */
  readonly known: readonly Measurement[];
  readonly by: string;
  readonly now: () => Date;
}

/** Runs a planned dry run, or reuses its earlier result. Every failure is a ProfileError. */
export async function profileRun(
  computed: RunAnalysis,
  interpreter: Interpreter,
  { request, added }: Pick<Extract<Follow, { ok: true }>, 'request' | 'added'>,
  options: ProfileOptions,
  signal: Signal,
): Promise<Profiled> {
  const digest = digestOf(request, added);
  const versions = await versionsIn(interpreter, signal);
  const before = options.known.findLast(
    one => one.digest === digest && sameVersions(one.versions, versions) && one.terms !== null,
  );
  if (before) {
    const peak = { phase: before.phase ?? '', bytes: before.bytes, terms: before.terms ?? {} };
    return { result: null, peak, measurement: before, cached: true };
  }
  const counted = await dryRun(interpreter, request, options, signal);
  const peak = peakOf(counted, added);
  const result = { ...counted, phases: withAdded(counted.phases, added) };
  const measurement = measurementOf(computed, {
    source: 'dry run',
    at: options.now(),
    metric: 'allocated',
    bytes: peak.bytes,
    terms: peak.terms,
    versions,
    gpu: null,
    by: options.by,
  });
  const bytes = Math.round(added?.phases[peak.phase]?.bytes ?? 0);
  const share = added && { added: { what: added.what, bytes } };
  return {
    result,
    peak,
    measurement: { ...measurement, digest, phase: peak.phase, ...share },
    cached: false,
  };
}

const sameVersions = (
  one: Readonly<Record<string, string>>,
  other: Readonly<Record<string, string>>,
): boolean => JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
