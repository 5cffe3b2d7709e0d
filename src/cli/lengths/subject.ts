import { resolve } from 'node:path';
import type { RunAnalysis } from '../../core/rules/analysis';
import { datasetsOf } from '../../core/dialects/datasetsOf';
import { lengthsKey } from '../../core/spec/dataset';
import type { DatasetRef } from '../../core/spec/dataset';
import { foldersAbove } from '../../core/text/paths';
import { noRun } from '../problems';
import { BadInput } from '../output';
import type { OutputOptions } from '../output';
import { Session } from '../session';
import type { TargetOptions } from '../session';

/** Data to count, and their run. */
export interface Subject {
  /** The config's run; null for data without one. */
  readonly run: RunAnalysis | null;
  readonly datasets: readonly DatasetRef[];
  /** The model whose tokenizer counts: a name, or a folder. */
  readonly model: string | null;
  readonly limit: number | null;
  readonly key: string;
  /** Folders that relative paths start from, as native paths. */
  readonly folders: readonly string[];
}

const CONFIG = /\.(?:ya?ml|toml)$/i;
/**
 * The number of parent folders that a config's paths may be relative to, because its framework may be started
 * there.
 */
const FOLDERS_UP = 10;

/** Runs of a config, each with its data; or data without a config. */
export async function subjectsOf(path: string, options: LengthsOptions): Promise<readonly Subject[]> {
  if (!CONFIG.test(path)) return [await dataAlone(path, options)];
  const session = new Session();
  const analysis = await session.readable(path, await session.target(options));
  const judged = analysis.runs.filter(({ judged }) => judged);
  const runs = judged.filter(({ run }) => options.run === undefined || run.name === options.run);
  if (runs.length > 0) return runs.map(run => subjectOfRun(path, run, options));
  const names = judged.map(({ run }) => run.name).join(', ');
  throw new BadInput(
    judged.length === 0 ? noRun(analysis) : `${path} has no run named ${options.run ?? ''}: it has ${names}.`,
  );
}

function subjectOfRun(path: string, run: RunAnalysis, options: LengthsOptions): Subject {
  const found = datasetsOf(run.run);
  const { column } = options;
  const datasets = column === undefined ? found : found.map(ref => ({ ...ref, columns: { text: column } }));
  const model = run.run.quantities.model.value;
  return {
    run,
    datasets,
    model: options.tokenizer ?? model,
    limit: options.limit ?? run.run.quantities.seqLen.value,
    key: lengthsKey(datasets, model),
    folders: [...new Set([...foldersAbove(path, FOLDERS_UP).map(folder => resolve(folder)), process.cwd()])],
  };
}

async function dataAlone(path: string, { tokenizer, column, limit }: LengthsOptions): Promise<Subject> {
  const columns = column === undefined ? {} : { text: column };
  const datasets: readonly DatasetRef[] = [{ path, files: [], template: 'chat', columns }];
  const model = tokenizer ?? null;
  const key = lengthsKey(datasets, model);
  return Promise.resolve({ run: null, datasets, model, limit: limit ?? null, key, folders: [process.cwd()] });
}
/** The options of `headroom lengths`. */
export interface LengthsOptions extends TargetOptions, OutputOptions {
  readonly run?: string;
  readonly tokenizer?: string;
  readonly column?: string;
  readonly limit?: number;
  readonly samples: number;
  readonly all?: boolean;
  readonly again?: boolean;
  readonly keep: boolean;
  readonly json?: boolean;
}
