import type { DatasetRef } from '../spec/dataset';
import type { RunReader } from './engine/runReader';
import { wordsIn } from './shared/datasets';
import type { Quantity } from '../spec/quantity';
import type { DeviceMapSettings } from '../spec/values';
import { builtIn } from './defined/compile';
import file from './msSwift.yaml';
import type { Dialect } from './dialect';

/** `dataset`: paths or hub names, with a prefix for the hub and `#n` for the number of rows. */
function msSwiftDatasets(run: RunReader): readonly DatasetRef[] {
  // swift/llm/argument/base_args/template_args.py: template_backend is swift, whose templates are code.
  const own =
    run.word('template_backend') === 'jinja' ? {} : { ownTemplate: run.word('template') ?? 'swift' };
  return wordsIn(run.value('dataset'))
    .flatMap(words => words.split(/[,\s]+/))
    .filter(word => word !== '')
    .map(word => ({
      path: word
        .replace(/#\d+$/, '')
        .replace(/^(?:HF|MS)::/, '')
        .replace(/:[\w,]+$/, ''),
      files: [],
      template: 'chat' as const,
      ...own,
      columns: {},
      ...drawnOf(word),
    }));
}

function drawnOf(word: string): { readonly rows?: number } {
  const [, rows] = /#(\d+)$/.exec(word) ?? [];
  return rows === undefined ? {} : { rows: Number(rows) };
}

/** `list(range(0, 4))`, or a count. */
const RANGE = /^list\(range\((?:(\d+),\s*)?(\d+)\)\)$/;

/** Ray groups state their GPUs; otherwise NPROC_PER_NODE does. */
function gpus(run: RunReader): Quantity<number> {
  if (run.has('train.gpus')) return run.at('train.gpus', run.count('train.gpus'));
  const ranks = run.flag('use_ray') ? run.value('device_groups.default.ranks') : null;
  if (typeof ranks === 'number') return run.at('device_groups.default.ranks', ranks);
  const range = typeof ranks === 'string' ? RANGE.exec(ranks) : null;
  if (range) {
    return run.at('device_groups.default.ranks', Number(range[2]) - Number(range[1] ?? 0));
  }
  return run.unknown('NPROC_PER_NODE decides the number of GPUs; the config does not say it.');
}

/** Assignments that leave a program in one process. */
const SEEN = '_VISIBLE_DEVICES';

/**
 * One process spreads the model over all GPUs that it sees (swift/model/utils.py, get_default_device_map: `auto` where no rank
 * is set). NPROC_PER_NODE or a launcher starts one on each.
 */
function deviceMap(run: RunReader): Quantity<DeviceMapSettings> {
  const { value, origin } = run.get('devices');
  const isOne =
    origin.kind === 'file' && origin.at.path.endsWith(SEEN) && typeof value === 'number' && value > 1;
  const isShared = run.get('zeroStage').value !== null || run.get('fsdp').value !== null;
  if (!isOne || isShared) return run.none('swift/model/utils.py: each process has one GPU');
  const settings: DeviceMapSettings = { strategy: 'auto', maxMemory: null };
  return run.derived(settings, ['devices'], 'one process spreads the model over the GPUs that it sees');
}

/** ms-swift's YAML and JSON; sources are files of modelscope/ms-swift 3602360. */
export const msSwift: Dialect = builtIn(file, {
  quantities: { gpus },
  details: { deviceMap },
  datasets: msSwiftDatasets,
});
