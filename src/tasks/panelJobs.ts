import { commands } from 'vscode';
import type { MetricSeries } from '../core/output/progress/series';
import type { CommandId } from '../host/commands';
import { gpuSeriesOf } from '../jobs/gpuSeries';
import type { GpuSeries } from '../jobs/gpuSeries';
import type { JobView } from '../jobs/jobs';
import { placeName, whyNotFetched } from '../jobs/job';
import type { JobBoard } from './board';
import {
  isOver,
  memoryComparison,
  paceText,
  partCards,
  predictedOf,
  progressText,
  shareOf,
  stateWord,
} from './jobText';
import { MetricsReader } from './metrics';
import { say } from '../host/say';

const ACTIONS = {
  stop: 'headroom.stopJob',
  resume: 'headroom.resumeJob',
  output: 'headroom.showJobOutput',
  config: 'headroom.openJobConfig',
  fetch: 'headroom.fetchJob',
} as const satisfies Readonly<Record<string, CommandId>>;

/** A host that does not answer must not hold up a chart. */
const PATIENCE_MS = 10_000;
/** The number of output readers to keep. */
const MOST_READERS = 12;

/** All curves of a job; null: unknown. */
interface JobCurves {
  readonly output: MetricSeries | null;
  readonly gpus: GpuSeries | null;
  readonly predictedBytes: number | null;
}

/**
 * The jobs as the panel shows them. It structurally implements the panel's `PanelJobs`; types check this where the
 * two meet.
 */
export class BoardForPanel {
  private readonly readers = new Map<string, MetricsReader>();

  constructor(private readonly board: JobBoard) {}

  cards() {
    return this.board.all().map(view => ({
      ...cardOf(view),
      parts: partCards(view, this.board.parts(view.record.id), say),
    }));
  }

  onChange(listener: () => void): () => void {
    const subscription = this.board.onDidChange(listener);
    return () => {
      subscription.dispose();
    };
  }

  async curves(id: string): Promise<JobCurves> {
    const jobs = await this.board.begin();
    if (!jobs) return { output: null, gpus: null, predictedBytes: null };
    const reader = this.readers.get(id) ?? new MetricsReader(jobs, id);
    this.readers.delete(id);
    this.readers.set(id, reader);
    for (const old of [...this.readers.keys()].slice(0, -MOST_READERS)) this.readers.delete(old);
    const samples = jobs.samples(id, AbortSignal.timeout(PATIENCE_MS)).catch(() => []);
    const record = this.board.all().find(view => view.record.id === id)?.record;
    return {
      output: await reader.read().catch(() => null),
      gpus: gpuSeriesOf(await samples),
      predictedBytes: record ? predictedOf(record, 'device') : null,
    };
  }

  act(action: keyof typeof ACTIONS, id: string): void {
    void commands.executeCommand(ACTIONS[action], id);
  }
}

function cardOf({ record, progress }: JobView) {
  const { id, name, place, state, config } = record;
  const { metric, predictedBytes, measured } = memoryComparison(record);
  return {
    id,
    name,
    place: placeName(place, say),
    state,
    stateWords: stateWord(state, say),
    isOver: isOver(record),
    share: state === 'succeeded' ? 1 : shareOf(progress),
    words: [progressText(record, progress, say), paceText(record, progress, say)].filter(Boolean).join(' · '),
    predictedBytes,
    measuredBytes: measured?.bytes ?? null,
    measuredBy:
      measured && `${metric === 'device' ? 'GPU memory' : `torch ${metric}`}, by ${measured.source}`,
    hasConfig: config !== null,
    canFetch: whyNotFetched(record) === null,
  };
}
