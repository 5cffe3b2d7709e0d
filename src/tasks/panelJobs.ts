import { commands } from 'vscode';
import type { CommandId } from '../host/commands';
import type { JobState } from '../jobs/job';
import type { JobView } from '../jobs/jobs';
import type { JobBoard } from './board';
import { isOver, memoryPeak, progressText, shareOf, STATE_WORDS } from './jobText';
import { MetricsReader } from './metrics';
import type { Curves } from './metrics';
import { placeName } from './place';

const ACTIONS = {
  stop: 'headroom.stopJob',
  resume: 'headroom.resumeJob',
  output: 'headroom.showJobOutput',
  config: 'headroom.openJobConfig',
} as const satisfies Readonly<Record<string, CommandId>>;

/** So many outputs are kept read. */
const MOST_READERS = 12;

/** A job as the panel has it. */
interface Card {
  readonly id: string;
  readonly name: string;
  readonly place: string;
  readonly state: JobState;
  readonly stateWords: string;
  readonly isOver: boolean;
  readonly share: number | null;
  readonly words: string;
  readonly predictedBytes: number | null;
  readonly measuredBytes: number | null;
  readonly measuredBy: string | null;
  readonly hasConfig: boolean;
}

/** The jobs as the panel shows them. */
export class BoardForPanel {
  private readonly readers = new Map<string, MetricsReader>();

  constructor(private readonly board: JobBoard) {}

  cards(): readonly Card[] {
    return this.board.all().map(view => cardOf(view));
  }

  onChange(listener: () => void): () => void {
    const heard = this.board.onDidChange(listener);
    return () => {
      heard.dispose();
    };
  }

  async metrics(id: string): Promise<Curves | null> {
    const jobs = await this.board.begin();
    if (!jobs) return null;
    const reader = this.readers.get(id) ?? new MetricsReader(jobs, id);
    this.readers.delete(id);
    this.readers.set(id, reader);
    for (const old of [...this.readers.keys()].slice(0, -MOST_READERS)) this.readers.delete(old);
    return reader.read().catch(() => null);
  }

  act(action: keyof typeof ACTIONS, id: string): void {
    void commands.executeCommand(ACTIONS[action], id);
  }
}

function cardOf({ record, progress }: JobView): Card {
  const { id, name, place, state, estimate, config } = record;
  const peak = memoryPeak(record);
  return {
    id,
    name,
    place: placeName(place),
    state,
    stateWords: STATE_WORDS[state],
    isOver: isOver(record),
    share: state === 'succeeded' ? 1 : shareOf(progress),
    words: progressText(record, progress),
    predictedBytes: estimate?.bytes.expected ?? null,
    measuredBytes: peak?.bytes ?? null,
    measuredBy: peak?.source ?? null,
    hasConfig: config !== null,
  };
}
