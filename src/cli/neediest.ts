import type { Analysis, RunAnalysis } from '../core/rules/analysis';
import { alternativesTo } from '../core/plan/modelSizes';
import type { Alternatives } from '../core/plan/modelSizes';
import type { Target } from '../core/hardware/gpu';
import type { World } from '../core/analyse/world';
import { BadInput } from './output';
import { noRun, selectedRuns, unreadable } from './problems';
import type { Session } from './session';

/** The run that a verb is about, and problems in its file. */
export interface Chosen {
  readonly chosen: RunAnalysis;
  /** All runs of the file. */
  readonly runs: readonly RunAnalysis[];
  readonly bad: readonly string[];
  /** Other sizes of its model's series. */
  readonly alternatives: Alternatives;
  /** The world that it was read from. */
  readonly world: World;
}

/** What a verb reads: a file that the user named, or a command line under a name of its own. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

/**
 * A config may contain several runs that share their settings (curriculum stages): the largest decides, unless `name` says which
 * one is meant.
 */
export async function neediestRun(
  session: Session,
  { file, text }: Source,
  target: Target | null,
  name?: string,
): Promise<Chosen> {
  const analysis = await session.analyze(file, text, target);
  const meant = name === undefined ? analysis : selectedRuns(analysis, name);
  if (typeof meant === 'string') throw new BadInput(meant);
  const found = await neediestOf(session, meant, true);
  if (found === null || typeof found === 'string') throw new BadInput(found ?? file);
  return found;
}

/** The same for a text; a sentence if it has no run, or null if in addition the user did not name the file. */
export async function neediestIn(
  session: Session,
  file: string,
  text: string,
  target: Target | null,
  named: boolean,
): Promise<Chosen | string | null> {
  return neediestOf(session, await session.analyze(file, text, target), named);
}

async function neediestOf(
  session: Session,
  analysis: Analysis,
  named: boolean,
): Promise<Chosen | string | null> {
  const need = (run: RunAnalysis): number => run.estimate?.devices[0]?.device.expected ?? 0;
  const [first] = analysis.runs.filter(run => run.judged).toSorted((a, b) => need(b) - need(a));
  const bad = unreadable(analysis, named);
  if (first) {
    const alternatives = await alternativesTo(first.run, session.world.models);
    return { chosen: first, runs: analysis.runs, bad, alternatives, world: session.world };
  }
  return bad[0] ?? (named ? noRun(analysis) : null);
}
