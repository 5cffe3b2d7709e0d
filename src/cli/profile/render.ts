import { paragraphs, table, terminal } from '../../core/text/terminal';
import type { RunAnalysis } from '../../core/rules/analysis';
import { sumsOf } from '../../core/learn/correction';
import type { TermName } from '../../core/models/terms';
import { TERMS } from '../../core/memory/terms';
import type { Json } from '../../core/text/json';
import { measuredPhaseText } from '../../core/memory/words';
import type { Paint, Shown, TerminalText } from '../../core/text/terminal';
import { formatBytes, formatCount } from '../../core/units';
import type { Profiled } from '../../profile/profileRun';
import { english } from '../../core/text/say';

const title = ({ run }: RunAnalysis): string =>
  `${run.sources[0]?.path ?? ''}${run.name === '' ? '' : ` · ${run.name}`}`;

/** The estimate and the dry run side by side: torch's allocated memory, term by term and phase by phase. */
export function profiledText(
  run: RunAnalysis,
  { peak, result, measurement, cached }: Profiled,
  notes: readonly string[],
  paint: Paint,
): TerminalText {
  const predicted = measurement.predicted;
  const difference = predicted ? differenceWords(peak.bytes, predicted.bytes) : 'no estimate';
  const lines: Shown[] = [
    terminal`${paint.bold(title(run))} · dry run: ${formatBytes(peak.bytes)} allocated at the peak (${measuredPhaseText(english, peak.phase)}); ${difference}`,
    termTable(run, peak.terms),
  ];
  if (result) lines.push(phasesLine(result.phases));
  const counts = result
    ? [`${formatCount(result.parameters)} parameters`, `${formatCount(result.trained)} trained`]
    : [];
  const layers = result?.fromLayers ? [`from ${result.fromLayers.join(', ')} layers`] : [];
  const when = cached ? [`from ${measurement.at.slice(0, 10)}`] : [`${result?.seconds ?? 0} s`];
  lines.push(paint.dim([...counts, ...layers, ...when, releases(measurement.versions)].join(' · ')));
  if (measurement.added) {
    const { what, bytes } = measurement.added;
    lines.push(
      `Not part of the model's code, added as computed: ${what.join(', ')} (${signedBytes(bytes)} at the peak).`,
    );
  }
  if (notes.length > 0) lines.push(`Assumed: ${notes.join('; ')}.`);
  lines.push(
    'Not counted: the CUDA context, cuBLAS and cuDNN workspaces, temporaries inside kernels, evaluation and saving.',
  );
  return paragraphs(lines);
}

export const differenceWords = (found: number, predicted: number): string =>
  `${formatBytes(predicted)} computed, ${percent(found / predicted - 1)}`;

const percent = (share: number): string => `${share < 0 ? '−' : '+'}${(Math.abs(share) * 100).toFixed(1)} %`;

export const signedBytes = (bytes: number): string =>
  `${bytes < 0 ? '−' : '+'}${formatBytes(Math.abs(bytes))}`;

function termTable(
  { estimate }: RunAnalysis,
  found: Readonly<Partial<Record<TermName, number>>>,
): TerminalText {
  const device = estimate?.devices[0];
  const computed = device ? sumsOf(device.terms) : {};
  const names = TERMS.filter(term => (found[term] ?? 0) > 0 || (SEEN.has(term) && (computed[term] ?? 0) > 0));
  const cell = (bytes: number | undefined): string => (bytes === undefined ? '' : formatBytes(bytes));
  const rows = names.map(term => [term, cell(computed[term]), cell(found[term] ?? 0)]);
  return table([['at the peak', 'computed', 'dry run'], ...rows], { align: ['l', 'r', 'r'] });
}

/** Terms that a dry run can measure. */
const SEEN: ReadonlySet<TermName> = new Set<TermName>([
  'weights',
  'adapters',
  'gradients',
  'optimizer states',
  'activations',
  'logits and loss',
  'kv cache',
  'temporaries',
  'inputs and buffers',
]);

const phasesLine = (phases: Readonly<Record<string, number>>): string =>
  `By phase: ${Object.entries(phases)
    .map(([phase, bytes]) => `${measuredPhaseText(english, phase)} ${formatBytes(bytes)}`)
    .join(', ')}.`;

const releases = (versions: Readonly<Record<string, string>>): string =>
  ['torch', 'transformers', 'peft', 'lightning']
    .flatMap(name => (versions[name] === undefined ? [] : [`${name} ${versions[name]}`]))
    .join(', ');

export function refusedText(run: RunAnalysis, why: readonly string[], paint: Paint): TerminalText {
  const device = run.estimate?.devices[0];
  const instead = device
    ? `The estimate stays ${formatBytes(device.device.expected)} (headroom explain).`
    : '';
  const sentence = terminal`${paint.bold(title(run))} · can't profile: ${why.join('; ')}.`;
  return instead === '' ? sentence : terminal`${sentence} ${instead}`;
}

export function profiledJson(run: RunAnalysis, profiled: Profiled, notes: readonly string[]): Json {
  const { peak, result, measurement, cached } = profiled;
  return {
    name: run.run.name,
    peak: { phase: peak.phase, bytes: peak.bytes, terms: { ...peak.terms } },
    phases: result ? { ...result.phases } : null,
    reservedBytes: result?.reserved ?? null,
    parameters: result?.parameters ?? null,
    trained: result?.trained ?? null,
    fromLayers: result?.fromLayers ? [...result.fromLayers] : null,
    cached,
    seconds: result?.seconds ?? null,
    versions: { ...measurement.versions },
    predicted: measurement.predicted && {
      metric: measurement.predicted.metric,
      bytes: measurement.predicted.bytes,
    },
    assumed: [...notes],
  };
}
