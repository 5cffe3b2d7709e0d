import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunAnalysis } from '../../core/rules/analysis';
import { plainOf } from '../../core/yaml/scalars';
import { parseYaml } from '../../core/yaml/parse';
import { noRun } from '../problems';
import { BadInput } from '../output';
import { Session } from '../session';
import type { ProfileOptions } from './options';

/** What is profiled: the runs of a file, computed and with measurements. */
export interface Subject {
  readonly file: string;
  readonly session: Session;
  /** Without measurements, for comparison with them. */
  readonly computed: readonly RunAnalysis[];
  readonly learned: readonly RunAnalysis[];
  /** The config's own keys, for code that receives them. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its folder as a native path. */
  readonly folder: string;
  /** The folder from which the module of `--entry` is imported; by default the config's own. */
  readonly codeFolder: string;
}

/** The file's runs; `--run` selects one. */
export async function subjectOf(file: string, options: ProfileOptions): Promise<Subject> {
  const session = new Session();
  const target = await session.target(options);
  const text = await session.text(file);
  const computed = await new Session({ computed: true }).readable(file, target);
  const learned = await session.analyze(file, text, target);
  const wanted = (run: RunAnalysis): boolean =>
    run.judged && (options.run === undefined || run.run.name === options.run);
  const runs = computed.runs.filter(wanted);
  if (runs.length === 0) throw new BadInput(nothing(file, options, computed.runs, noRun(computed)));
  return {
    file,
    session,
    computed: runs,
    learned: learned.runs.filter(wanted),
    settings: settingsIn(text),
    folder: resolve(file, '..'),
    codeFolder: codeFolderOf(options.entry, resolve(file, '..')),
  };
}

/** What `--entry` names; null: nothing. */
export const entryOf = ({ codeFolder, settings }: Subject, { entry, batch }: ProfileOptions) =>
  entry === undefined ? null : { entry, folder: codeFolder, settings, rows: batch ?? null };

const FOLDERS_UP = 8;

/** The nearest folder that has the entry's package: the config's, its parents, then the working folder. */
export function codeFolderOf(entry: string | undefined, folder: string): string {
  const [top = ''] = (entry ?? '').split(/[.:]/);
  if (top === '') return folder;
  const above = Array.from({ length: FOLDERS_UP }, (_, up) =>
    resolve(folder, ...Array<string>(up).fill('..')),
  );
  const all = [...above, process.cwd()].flatMap(one => [one, join(one, 'src')]);
  const has = (one: string): boolean => existsSync(join(one, top)) || existsSync(join(one, `${top}.py`));
  return all.find(has) ?? folder;
}

function nothing(file: string, { run }: ProfileOptions, runs: readonly RunAnalysis[], none: string): string {
  const names = runs.filter(one => one.judged).map(one => one.run.name);
  if (run === undefined || names.length === 0) return none;
  return `${file} has no run named ${run}: it has ${names.join(', ')}.`;
}

function settingsIn(text: string): Readonly<Record<string, unknown>> {
  const root = parseYaml(text).documents[0]?.root;
  const plain = root ? plainOf(root, 'pyyaml') : null;
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as Readonly<Record<string, unknown>>)
    : {};
}
