import type { RunAnalysis } from '../core/analysis';
import type { Target } from '../core/hardware/gpu';
import { BadInput } from './output';
import { noRun, unreadable } from './problems';
import type { Session } from './session';

/** The run that a verb is about, and what of its file cannot be read. */
export interface Chosen {
  readonly chosen: RunAnalysis;
  /** All runs of the file. */
  readonly runs: readonly RunAnalysis[];
  readonly bad: readonly string[];
}

/** A config may hold several runs that share their settings (curriculum stages): the largest decides. */
export async function neediestRun(session: Session, file: string, target: Target | null): Promise<Chosen> {
  const read = await session.read(file);
  if ('why' in read) throw new BadInput(read.why);
  const analysis = await session.analyse(file, read.text, target);
  const need = (run: RunAnalysis): number => run.estimate?.devices[0]?.device.expected ?? 0;
  const [first] = analysis.runs.filter(run => run.judged).toSorted((a, b) => need(b) - need(a));
  const bad = unreadable(analysis, true);
  if (!first) throw new BadInput(bad[0] ?? noRun(analysis));
  return { chosen: first, runs: analysis.runs, bad };
}
