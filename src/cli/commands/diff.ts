import { judgedByLeast } from '../../core/analyse/least';
import { becameWorse, runChanges } from '../../core/plan/runChanges';
import type { RunChange } from '../../core/plan/runChanges';
import { changesAsJson, changesMarkdown, changesText } from '../../core/render/changes';
import type { Analysis, RunAnalysis } from '../../core/rules/analysis';
import type { Target } from '../../core/hardware/gpu';
import { json, TerminalText } from '../../core/text/terminal';
import { openRevision } from '../diff/revision';
import type { Revision } from '../diff/revision';
import { EXIT } from '../exit';
import type { ExitCode, FailOn } from '../exit';
import { findInputs } from '../inputs';
import { terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { Session } from '../session';
import type { TargetOptions } from '../session';

interface DiffOptions extends TargetOptions, OutputOptions {
  readonly failOn: FailOn;
  readonly json?: boolean;
  readonly markdown?: boolean;
}

type Runs = ReadonlyMap<string, readonly RunAnalysis[]>;

/** `headroom diff BASE [HEAD]`: what a change of a folder does to the memory of its runs. */
export async function diff(base: string, head: string, options: DiffOptions): Promise<void> {
  const output = terminalOutput(options);
  const target = await new Session({ silent: true }).target(options);
  const before = await openRevision(base);
  try {
    const after = await openRevision(head);
    try {
      const changes = await changesBetween(before, after, target);
      print(changes, options, output);
      process.exitCode = exitCodeFor(changes, options.failOn);
    } finally {
      after.close();
    }
  } finally {
    before.close();
  }
}

function print(changes: readonly RunChange[], options: DiffOptions, { out, paint }: Output): void {
  if (options.json) out(json(changesAsJson(changes), 2));
  else if (!options.markdown) out(changesText(changes, paint));
  else if (changes.length > 0) out(TerminalText.trusted(changesMarkdown(changes)));
}

function exitCodeFor(changes: readonly RunChange[], failOn: FailOn): ExitCode {
  const isWorse = (change: RunChange): boolean =>
    becameWorse(change) && (failOn === 'tight' || change.after?.verdict === 'exceeds');
  return changes.some(isWorse) ? EXIT.exceeds : EXIT.fits;
}

async function changesBetween(
  before: Revision,
  after: Revision,
  target: Target | null,
): Promise<readonly RunChange[]> {
  const differing = differenceOf(before, after);
  const latter = await runsOf(after, target, () => true, differing ?? undefined);
  const former = await runsOf(before, target, path => !isUntouched(path, latter, differing));
  const compared = [...latter].filter(([path]) => !isUntouched(path, latter, differing));
  const runsIn = ([path, analysis]: readonly [string, Analysis]): readonly [
    string,
    readonly RunAnalysis[],
  ] => [path, analysis.runs];
  const both: readonly [Runs, Runs] = [new Map([...former].map(runsIn)), new Map(compared.map(runsIn))];
  return runChanges(...both);
}

/** The paths that differ between two Git revisions; null if one of them is a folder. */
function differenceOf({ hashes: one }: Revision, { hashes: other }: Revision): ReadonlySet<string> | null {
  if (!one || !other) return null;
  const paths = new Set([...one.keys(), ...other.keys()]);
  return new Set([...paths].filter(path => one.get(path) !== other.get(path)));
}

/** Whether neither a file nor anything that its analysis depends on differs. */
function isUntouched(
  path: string,
  latter: ReadonlyMap<string, Analysis>,
  differing: ReadonlySet<string> | null,
): boolean {
  const analysis = latter.get(path);
  if (differing === null || analysis === undefined) return false;
  return !differing.has(path) && !analysis.dependencies.some(file => differing.has(file));
}

async function runsOf(
  { folder }: Revision,
  target: Target | null,
  isWanted: (path: string) => boolean,
  among?: ReadonlySet<string>,
): Promise<ReadonlyMap<string, Analysis>> {
  const session = new Session({ silent: true, folder });
  const { files } = await findInputs([folder]);
  const found = new Map<string, Analysis>();
  for (const { path } of files) {
    const own = path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
    if (!isWanted(own)) continue;
    const read = await session.read(own);
    if ('why' in read) continue;
    const analysis = await session.analyze(own, read.text, target, among ? { among } : {});
    if (analysis.runs.length === 0) continue;
    found.set(own, { ...analysis, runs: analysis.runs.map(run => judgedByLeast(run, session.world)) });
  }
  return found;
}
