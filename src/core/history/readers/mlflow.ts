import { join } from '../../text/paths';
import type { LogFiles, LogReader } from '../logs';
import { noFacts } from '../logs';
import { asConfig, configText } from '../huggingFaceConfig';
import { Scalars, TimedSteps } from '../scalars';
import { parseYaml } from '../../yaml/parse';
import { plainOf } from '../../yaml/scalars';
import { isRecord, numberIn } from '../../text/json';

/** More metrics or parameters than any run logs. */
const MOST_FILES = 2000;

/** MLflow's file store (store/tracking/file_store.py): `mlruns/EXPERIMENT/RUN` with meta.yaml, params and metrics. */
export const mlflow: LogReader = {
  async read({ path, names }, files) {
    if (!names.includes('meta.yaml') || !(names.includes('metrics') || names.includes('params'))) return [];
    const meta = plain((await files.text(join(path, 'meta.yaml'))) ?? '');
    if (!isRecord(meta) || !('run_id' in meta || 'run_uuid' in meta)) return [];
    const { scalars, timed } = await metricsIn(path, files);
    const params = await paramsIn(path, files);
    return [
      {
        ...noFacts('mlflow', path),
        atMs: numberIn(meta['start_time']),
        peaks: scalars.peaks(),
        speed: scalars.speed() ?? timed.speed('times of epoch'),
        steps: scalars.steps() ?? timed.lastStep,
        configs:
          Object.keys(params).length === 0
            ? []
            : [{ path: join(path, 'params.yaml'), text: configText(asConfig(params)) }],
      },
    ];
  },
};

function plain(text: string): unknown {
  const root = parseYaml(text).documents[0]?.root;
  return root ? plainOf(root, 'pyyaml') : null;
}

/**
 * Trainers that log the epoch log it by optimizer steps (transformers, integration_utils.py MLflowCallback.on_log; Lightning,
 * trainer/connectors/logger_connector: `epoch` among the metrics of a step).
 */
const EPOCH = 'epoch';

/** A file per metric, in folders where its name has slashes; a line per value: time in ms, value, step. */
async function metricsIn(
  path: string,
  files: LogFiles,
): Promise<{ readonly scalars: Scalars; readonly timed: TimedSteps }> {
  const scalars = new Scalars();
  const timed = new TimedSteps();
  for (const name of await leaves(join(path, 'metrics'), files)) {
    for (const line of ((await files.text(join(path, `metrics/${name}`))) ?? '').split('\n')) {
      const [at, value, step] = line.split(' ');
      if (value !== undefined) scalars.add(name, Number(value));
      if (name === EPOCH && step !== undefined) timed.add(Number(step), Number(at));
    }
  }
  return { scalars, timed };
}

/** A file per parameter; values as Python prints them. */
async function paramsIn(path: string, files: LogFiles): Promise<Readonly<Record<string, unknown>>> {
  const found: Record<string, unknown> = {};
  for (const name of await leaves(join(path, 'params'), files)) {
    const text = ((await files.text(join(path, `params/${name}`))) ?? '').trim();
    found[name] = valueOf(text);
  }
  return found;
}

const WORDS: Readonly<Record<string, unknown>> = { None: null, True: true, False: false };

function valueOf(text: string): unknown {
  if (Object.hasOwn(WORDS, text)) return WORDS[text];
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

async function leaves(folder: string, files: LogFiles): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of (await files.names(folder)).slice(0, MOST_FILES)) {
    const below = await files.names(join(folder, name));
    if (below.length === 0) found.push(name);
    else found.push(...below.slice(0, MOST_FILES).map(one => `${name}/${one}`));
  }
  return found.slice(0, MOST_FILES);
}
