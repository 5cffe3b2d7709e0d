import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkSome } from '../../src/cli/checked';
import { jobsTable } from '../../src/cli/jobs/text';
import type { World } from '../../src/core/analyse/world';
import { analyze } from '../../src/core/analyse/analyse';
import { dialectLogs } from '../../src/core/dialects/dialectLogs';
import { definitionOf } from '../../src/core/dialects/defined/definition';
import { definitionNoteAt, keyNoteAt } from '../../src/core/dialects/keyNotes';
import type { Target } from '../../src/core/hardware/gpu';
import { parseTarget } from '../../src/core/hardware/target';
import { MemorySession } from '../../src/core/memory/session';
import { explainOom } from '../../src/core/output/oom/explain';
import { readProgress } from '../../src/core/output/progress/reader';
import { explanation } from '../../src/core/render/explanation';
import { historyAsJson, historyText } from '../../src/core/render/history';
import { breakdown, hover } from '../../src/core/render/hover';
import { filesAsJson } from '../../src/core/render/json';
import { keyNote } from '../../src/core/render/keyNote';
import { lensTexts, lensTooltip } from '../../src/core/render/lens';
import { relatedPlaces } from '../../src/core/render/related';
import { sarifLog, sarifResults } from '../../src/core/render/sarif';
import { shortAnswer } from '../../src/core/render/statusBar';
import { checkText, explainText } from '../../src/core/render/text';
import type { Analysis, RunAnalysis } from '../../src/core/rules/analysis';
import type { RuleFault } from '../../src/core/rules/rule';
import { NEVER } from '../../src/core/signal';
import { stackOf } from '../../src/core/text/errors';
import { json, plainPaint } from '../../src/core/text/terminal';
import { parseYaml } from '../../src/core/yaml/parse';
import { ranOut } from '../../src/jobs/failures';
import { JobStore } from '../../src/jobs/store';
import { Catalogs } from '../../src/world/catalogs';
import { Definitions } from '../../src/world/definitions';
import { Launchers } from '../../src/world/launchers';
import { CountedLengths } from '../../src/world/lengths';
import { MeasuredRuns } from '../../src/world/measurements';
import { runsIn } from '../../src/world/logFolders';
import { Models } from '../../src/world/models';
import { NodeFiles } from '../../src/world/nodeFiles';
import { checkLabel, checkMarkdown, checkTerminal, UNSEEN } from '../unit/render/onlyWords';
import { inputOf } from './inputs';
import type { Kind } from './inputs';

/** An input on the disk: made outside of the process that is measured. */
export interface Written {
  readonly seed: number;
  readonly kind: Kind;
  readonly folder: string;
  /** What is looked at of it. */
  readonly opened: readonly string[];
}

const catalogs = new Catalogs(join('dist', 'data'));

/** A FIFO in the folder that all inputs lie in. */
export const PIPE = 'pipe';

/** Runs of a file that are shown. */
const MOST_RUNS = 2;

/** Makes the input of a seed in a folder of its own below `within`. */
export async function writeInput(seed: number, kind: Kind | null, within: string): Promise<Written> {
  const input = inputOf(seed, kind);
  const folder = await mkdtemp(join(within, `${seed}-`));
  for (const [name, content] of Object.entries(input.files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  // What words of the grammar name: a pipe that nobody writes to, a link to itself.
  await link(join(within, PIPE), join(folder, PIPE)).catch(() => undefined);
  await symlink('loop', join(folder, 'loop')).catch(() => undefined);
  return { seed, kind: input.kind, folder, opened: input.opened };
}

/**
 * Looks at an input as the command line and the editor do: files on the disk, `check`, `explain`, and every view of the
 * results. Answers with what is wrong.
 */
export async function lookAt({ kind, folder, opened: names }: Written): Promise<readonly string[]> {
  const problems: string[] = [];
  try {
    if (kind === 'record') await records(join(folder, 'state'));
    if (kind === 'history') await history(folder);
    if (kind === 'log') logs(await readFile(join(folder, 'output.log'), 'utf8'));
    for (const file of names) {
      problems.push(...(await opened(folder, file)));
    }
  } catch (error) {
    problems.push(`thrown: ${stackOf(error)}`);
  }
  return problems;
}

/** As `headroom check --json` has it, and then in every other view. */
async function opened(folder: string, file: string): Promise<readonly string[]> {
  const problems: string[] = [];
  const read = await new NodeFiles(folder).read(file);
  // Too large, or no text: it is refused before anything looks at it.
  if (!('text' in read)) return [];
  const { text } = read;
  const world = {
    ...worldIn(folder),
    onRuleFault: ({ rule, error }: RuleFault) =>
      void problems.push(`the rule ${rule} failed: ${stackOf(error)}`),
  };
  const target = await theTarget();
  const analyses: Analysis[] = [];
  const session = {
    read: () => Promise.resolve({ text }),
    analyze: async () => {
      const analysis = await analyze(file, text, world, { target, severities: {} }, NEVER);
      analyses.push(analysis);
      return analysis;
    },
  };
  const task = { target, format: 'json', colored: false, ranOut: [] } as const;
  const [checked] = await checkSome(session, [{ path: file, named: true }], task);
  const printed = JSON.stringify(checked?.printed);
  if (printed.includes('"internal-error"')) {
    problems.push(`an internal error: ${checked?.bad.join(' ') ?? ''}`);
  }
  for (const analysis of analyses) shown(analysis, file, text);
  return problems;
}

/** The world of `headroom check`, called in this folder by somebody who has nothing else. */
function worldIn(folder: string): World {
  const files = new NodeFiles(folder);
  return {
    files,
    models: new Models(files, catalogs, { variables: {}, home: folder, workingFolder: folder }),
    memory: new MemorySession(),
    hostMiB: 64 * 1024,
    gpuNamed: name => catalogs.gpuNamed(name),
    definitions: new Definitions(files),
    measurements: new MeasuredRuns(files, 'fuzz', null),
    lengths: new CountedLengths(files),
    launchers: new Launchers(files, () => ''),
  };
}

async function theTarget(): Promise<Target> {
  const reading = parseTarget('RTX 4090', await catalogs.gpus(), { count: null, nodes: 1 });
  if (!reading.ok) throw new Error(reading.why);
  return reading.target;
}

/** Throws where a view has more of a stranger's text than words. */
function shown(analysis: Analysis, file: string, text: string): void {
  checkTerminal(checkText(analysis, plainPaint));
  checkTerminal(json(filesAsJson([]), 2));
  checkTerminal(json(sarifLog(sarifResults(analysis), [], '0'), 2));
  checkMarkdown(explanation(analysis, () => 'https://evil.example/p.png'));
  for (const run of analysis.runs.slice(0, MOST_RUNS)) showRun(run, file, text);
  const note = definitionNoteAt(text, Math.min(text.length, 40));
  if (note) checkMarkdown(keyNote(note));
}

function showRun(run: RunAnalysis, file: string, text: string): void {
  checkTerminal(explainText(run, file, plainPaint));
  checkMarkdown(
    hover(run, { quantity: 'model', file, bar: null, lengths: null, currentFit: null, swatch: () => '' }),
  );
  checkMarkdown(breakdown(run, file));
  for (const { title } of lensTexts([run])) checkLabel(title);
  for (const plain of [lensTooltip(run), ...relatedPlaces(run).map(({ message }) => message)]) {
    assert.doesNotMatch(plain, UNSEEN);
  }
  const { text: short, spoken } = shortAnswer(run);
  checkLabel(short);
  assert.doesNotMatch(spoken, UNSEEN);
  const dialect = definitionOf(run.run) ?? run.run.dialect;
  const tree = parseYaml(text);
  for (let line = 0, at = 0; line < 12 && at >= 0; line++, at = text.indexOf('\n', at + 1)) {
    const note = keyNoteAt(dialect, tree, at + 1);
    if (note) checkMarkdown(keyNote(note));
  }
}

/** As `headroom jobs` and the check of a config have the records of this disk. */
async function records(state: string): Promise<void> {
  const store = new JobStore(state);
  checkTerminal(jobsTable(await store.all(), new Map(), 10));
  await store.odd();
  await ranOut(state);
}

/** As `headroom history` lists the past runs of this folder. */
async function history(folder: string): Promise<void> {
  const { runs, isWhole } = await runsIn(folder);
  const listed = runs.map(past => ({ past, analysis: null, config: null, measurements: [], speed: null }));
  checkTerminal(historyText(listed, plainPaint));
  checkTerminal(json(historyAsJson(listed, isWhole), 2));
}

/** The end of an output, as far as `src/jobs` looks for reasons in it. Its progress is read piece by piece. */
const TAIL_CHARACTERS = 512 * 1024;

function logs(text: string): void {
  const tail = text.slice(-TAIL_CHARACTERS);
  readProgress(tail, dialectLogs('axolotl'));
  explainOom(tail);
}
