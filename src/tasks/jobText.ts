import { visibleLine } from '../core/text/visible';
import type { Metric } from '../core/models/terms';
import type { ProgressState } from '../core/output/progress/progress';
import { formatBytes, groupDigits } from '../core/units';
import { FINAL_STATES, placeName } from '../jobs/job';
import type { JobPeak, JobRecord, JobState } from '../jobs/job';
import { predictedPace, rateText, statedSeconds } from '../jobs/pace';
import type { JobView } from '../jobs/jobs';
import { commas } from '../core/text/lists';
import { english, said, template, told } from '../core/text/say';
import type { Say, Template } from '../core/text/say';

const STATES: Readonly<Record<JobState, Template>> = {
  queued: template('waits'),
  starting: template('starts'),
  running: template('runs'),
  stopping: template('stops'),
  succeeded: template('succeeded'),
  failed: template('failed'),
  stopped: template('stopped'),
  lost: template('lost'),
  unknown: template('currently unreachable'),
};

/** A state in words. */
export const stateWord = (state: JobState, say: Say = english): string => said(say, STATES[state]);

export const isOver = ({ state }: Pick<JobRecord, 'state'>): boolean => FINAL_STATES.includes(state);

/** `45 s`, `12 min`, `3 h 5 min`, `2 d 4 h`. */
export function timeText(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.round(seconds))} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** Progress, 0–1; null if its output does not report it. */
export function shareOf(progress: ProgressState | null): number | null {
  const { step, totalSteps } = progress ?? {};
  if (step === undefined || totalSteps === undefined || totalSteps <= 0) return null;
  return Math.min(1, step / totalSteps);
}

/** `1,240 of 5,000`, `step 1,240`; null if its output does not report it. */
export function stepText(progress: ProgressState | null, say: Say = english): string | null {
  const { step, totalSteps, epoch } = progress ?? {};
  if (step !== undefined && totalSteps !== undefined) {
    return say('{0} of {1}', groupDigits(step), groupDigits(totalSteps));
  }
  if (step !== undefined) return say('step {0}', groupDigits(step));
  return epoch === undefined ? null : say('epoch {0}', epoch);
}

/** `3 of 16 parts`; null if the job has no parts. */
function partsText(say: Say, progress: ProgressState | null): string | null {
  const { parts, partsDone } = progress ?? {};
  return parts === undefined || partsDone === undefined ? null : say('{0} of {1} parts', partsDone, parts);
}

/** A number with its significant digits: `1.234`, `2.0e-5`. */
export function figureText(value: number): string {
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e6) return value.toExponential(1);
  return size >= 100 ? groupDigits(Math.round(value)) : String(Number(value.toPrecision(4)));
}

/** Other metrics of its output: loss, learning rate, tokens per second. */
function figuresText(say: Say, progress: ProgressState | null): readonly string[] {
  const { loss, learningRate, tokensPerSecond, samplesPerSecond } = progress ?? {};
  const rate =
    tokensPerSecond !== undefined
      ? [`${figureText(tokensPerSecond)} tokens/s`]
      : samplesPerSecond !== undefined
        ? [`${figureText(samplesPerSecond)} samples/s`]
        : [];
  return [
    ...(loss === undefined ? [] : [say('loss {0}', figureText(loss))]),
    ...(learningRate === undefined ? [] : [say('learning rate {0}', figureText(learningRate))]),
    ...rate,
  ];
}

/** A job in one line, without its name. */
export function progressText(record: JobRecord, progress: ProgressState | null, say: Say = english): string {
  const { state, kind, message } = record;
  if (state !== 'running') return stateText(say, state, message);
  const eta = progress?.etaSeconds;
  const step = stepText(progress, say);
  const isOfTexts = kind === 'embed' && progress?.step !== undefined;
  const parts = [
    step !== null && isOfTexts ? say('{0} texts', step) : step,
    partsText(say, progress),
    ...figuresText(say, progress),
    eta === undefined ? null : say('{0} left', timeText(eta)),
  ].filter(text => text !== null);
  return parts.length > 0 ? parts.join(' · ') : stateWord(state, say);
}

/** The rate that its output says, beside what was computed: `1.2 s/step, predicted 1.1 (0.9–1.6)`; null: not said. */
export function paceText(
  record: JobRecord,
  progress: ProgressState | null,
  say: Say = english,
): string | null {
  const seconds = record.state === 'running' ? statedSeconds(progress) : null;
  return seconds === null || record.kind !== 'train'
    ? null
    : rateText(seconds) + predictedPace(record, seconds, say);
}

/** The message may start with the state. */
function stateText(say: Say, state: JobState, message: string | null): string {
  const word = stateWord(state, say);
  if (message === null) return word;
  const why = told(say, message);
  return message.startsWith(`${stateWord(state)} `) ? why : `${word} · ${why}`;
}

/** The predicted and measured memory in the same metric. Null: unknown. */
interface MemoryComparison {
  readonly metric: Metric | null;
  readonly predictedBytes: number | null;
  readonly measured: JobPeak | null;
}

/**
 * A peak in the estimate's metric, else in the widest metric with a peak, next to the prediction for that metric:
 * what a trainer prints is less than what its GPU shows.
 */
export function memoryComparison(record: JobRecord): MemoryComparison {
  const { estimate, peaks } = record;
  const metrics: readonly (Metric | undefined)[] = [estimate?.metric, 'device', 'reserved', 'allocated'];
  const metric = metrics.find(one => peaks.some(peak => peak.metric === one)) ?? estimate?.metric ?? null;
  const of = peaks.filter(peak => peak.metric === metric).toSorted((a, b) => b.bytes - a.bytes);
  return { metric, predictedBytes: metric && predictedOf(record, metric), measured: of[0] ?? null };
}

/** The predicted bytes of this metric per GPU; null if unknown. */
export function predictedOf({ estimate, measured }: JobRecord, metric: Metric): number | null {
  if (metric === estimate?.metric) return estimate.bytes.expected;
  return measured?.predicted?.[metric].bytes ?? null;
}

/** `predicted 21.4 GB, measured 20.9 GB`; unknown values are omitted. */
export function memoryText(record: JobRecord, say: Say = english): string | null {
  const { metric, predictedBytes, measured } = memoryComparison(record);
  const parts = [
    ...(predictedBytes === null ? [] : [say('predicted {0}', formatBytes(predictedBytes))]),
    ...(measured ? [say('measured {0}', formatBytes(measured.bytes))] : []),
  ];
  const what = metric === null || metric === 'device' ? '' : ` (torch ${metric})`;
  return parts.length > 0 ? commas(say, parts) + what : null;
}

/** The parts of a spread job for its card: `3/16`, where, and progress. */
export function partCards(whole: JobView, parts: readonly JobView[], say: Say = english) {
  return parts.map(part => {
    const { id, name, place, gpus, state } = part.record;
    const uuid = gpus.uuids[0];
    const on = uuid === undefined ? placeName(place, say) : `${placeName(place, say)} · ${uuid.slice(0, 12)}`;
    const progress = partProgress(whole, part);
    return {
      id,
      name: name.split(' ').at(-1) ?? name,
      on,
      state,
      words: state === 'running' ? (stepText(progress, say) ?? stateWord(state, say)) : stateWord(state, say),
      share: state === 'succeeded' ? 1 : shareOf(progress),
    };
  });
}

/**
 * The whole job's report of a part, because it adds up to the total shown above; the part itself is read less
 * often.
 */
function partProgress(whole: JobView, { record, progress }: JobView): ProgressState | null {
  const [, number] = / (\d+)\/\d+$/.exec(record.name) ?? [];
  const ownView = number === undefined ? null : (whole.parts[Number(number) - 1] ?? null);
  if (ownView === null) return progress;
  return { step: ownView.rows, ...(ownView.rowsTotal !== null && { totalSteps: ownView.rowsTotal }) };
}

/**
 * Headroom's own words, with names and messages that others chose: a line of text, whatever they contain. Italic, because dimmed text
 * is hard to read in some themes.
 */
export const ownLine = (text: string): string => `\u001b[3m${visibleLine(text)}\u001b[0m\r\n`;

/** Converts bytes of an output file for a terminal: keeps colors, and makes every line end CRLF. */
export class TerminalText {
  private readonly decoder = new TextDecoder('utf-8');
  private endsInReturn = false;

  /** Adds a piece; characters and line ends may be split between pieces. */
  take(bytes: Uint8Array): string {
    const text = this.decoder.decode(bytes, { stream: true });
    const isReturned = (at: number): boolean => (at === 0 ? this.endsInReturn : text[at - 1] === '\r');
    const shown = text.replace(/\n/g, (end, at: number) => (isReturned(at) ? end : `\r${end}`));
    if (text !== '') this.endsInReturn = text.endsWith('\r');
    return shown;
  }
}
