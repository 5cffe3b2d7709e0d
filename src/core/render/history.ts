import type { PastRun } from '../history/collect';
import type { Measurement } from '../learn/measurement';
import type { PastSpeed } from '../learn/pastSpeed';
import type { RunAnalysis } from '../rules/analysis';
import type { Json } from '../text/json';
import { lines, paragraphs, table } from '../text/terminal';
import type { Paint, TerminalText } from '../text/terminal';
import { counted, formatBytes } from '../units';
import { roughly } from './speed';

/** A past run as it is listed. */
interface ListedRun {
  readonly past: PastRun;
  readonly analysis: RunAnalysis | null;
  readonly config: string | null;
  readonly measurements: readonly Measurement[];
  readonly speed: PastSpeed | null;
}

const HEAD = ['run', 'log', 'when', 'GPU', 'config', 'memory', 'predicted', 'time a step'];
const COLUMNS = { align: ['l', 'l', 'l', 'l', 'l', 'r', 'r', 'r'] };

/** The past runs of a folder as a table, and what their logs lack. */
export function historyText(found: readonly ListedRun[], paint: Paint): TerminalText {
  if (found.length === 0) return lines(['No logs of runs found.']);
  const without = found.filter(({ past }) => past.peaks.length === 0 && past.speed === null).length;
  const unknown = found.filter(({ past, analysis }) => past.peaks.length > 0 && analysis === null).length;
  const notes = [
    ...(without > 0 ? [`${counted(without, 'run')} logged neither memory nor time.`] : []),
    ...(unknown > 0
      ? [`${counted(unknown, 'run')} logged no config that Headroom can read: say which with --config FILE.`]
      : []),
  ];
  return paragraphs([
    table([HEAD, ...found.map(cellsOf)], COLUMNS),
    ...(notes.length > 0 ? [paint.dim(lines(notes))] : []),
  ]);
}

function cellsOf({ past, analysis, measurements }: ListedRun): readonly string[] {
  const { run, readers, atMs, gpu, peaks, speed } = past;
  const [peak] = peaks;
  const predicted = measurements.find(({ metric }) => metric === peak?.metric)?.predicted ?? null;
  return [
    run,
    readers.join(', '),
    atMs === null ? '' : new Date(atMs).toISOString().slice(0, 16).replace('T', ' '),
    gpuText(gpu),
    analysis ? (analysis.run.quantities.model.value ?? analysis.run.framework.name) : '',
    peak ? `${formatBytes(peak.bytes)} ${peak.metric}` : '',
    predicted ? formatBytes(predicted.bytes) : '',
    speed ? `${roughly(speed.secondsPerStep)} s` : '',
  ];
}

function gpuText(gpu: PastRun['gpu']): string {
  if (gpu === null) return '';
  return gpu.count === null || gpu.count === 1 ? gpu.name : `${gpu.count} × ${gpu.name}`.trim();
}

/** What to ask before measurements are kept; null: there are none. */
export function keepQuestion(
  found: readonly ListedRun[],
): { readonly ask: string; readonly how: string } | null {
  const all = found.flatMap(({ measurements, speed }) => [...measurements, ...(speed ? [speed] : [])]).length;
  if (all === 0) return null;
  const what = counted(all, 'measurement');
  return { ask: `Keep ${what}?`, how: `Nothing is kept yet. Add --keep to store ${what}.` };
}

/** The list in the JSON output (schema headroom-history/1). */
export const historyAsJson = (found: readonly ListedRun[], isWhole: boolean): Json => ({
  schema: 'headroom-history/1',
  complete: isWhole,
  runs: found.map(({ past, analysis, config, measurements, speed }) => ({
    run: past.run,
    logs: [...past.readers],
    at: past.atMs === null ? null : new Date(past.atMs).toISOString(),
    gpu: past.gpu && { ...past.gpu },
    config,
    model: analysis?.run.quantities.model.value ?? null,
    framework: analysis?.run.framework.name ?? null,
    steps: past.steps,
    memory: past.peaks.map(({ metric, bytes, devices }) => ({
      metric,
      bytes,
      ...(devices && { devices: [...devices] }),
      predicted: measurements.find(one => one.metric === metric)?.predicted?.bytes ?? null,
    })),
    secondsPerStep: past.speed?.secondsPerStep ?? null,
    secondsFrom: past.speed?.from ?? null,
    versions: { ...past.versions },
    /** How many measurements `--keep` stores. */
    keeps: measurements.length + (speed ? 1 : 0),
  })),
});
