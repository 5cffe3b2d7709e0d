import { editsFor } from '../dialects/write';
import { formatBytes } from '../units';
import type { RunSpec } from '../spec/runSpec';
import type { Advice } from './plan';
import type { Change } from '../spec/change';
import type { RemedyContext } from './remedy';
import { scalarsIn } from '../spec/scalarKeys';

/** Advice that does not affect GPU memory, or whose effect depends on the data; shown without bytes. */
export const adviceWithoutBytes = (context: RemedyContext): readonly Advice[] => [
  ...packedRows(context),
  ...loaders(context),
  ...savedInParts(context),
];

const TOKEN_TASKS: ReadonlySet<string> = new Set(['sft', 'pretrain']);

/** Krell et al., arXiv 2107.02027: up to half of the tokens of common datasets are padding. */
function packedRows({ run, say }: RemedyContext): readonly Advice[] {
  const { packing, task } = run.quantities;
  const isPadded = packing.value === false && run.details.fixedLength?.value !== false;
  if (!isPadded || !TOKEN_TASKS.has(task.value ?? '')) return [];
  const text = written(run, { quantity: 'packing', to: true });
  const why = say(
    'packs short samples into one row, so less is computed for padding; a step then sees more samples, so adapt the batch size or learning rate',
  );
  return text === null ? [] : [{ text, why }];
}

/** A starting value; measure to tune it (PyTorch performance tuning guide, "Enable asynchronous data loading"). */
const FIRST_WORKERS = 2;

function loaders({ run, estimate, say }: RemedyContext): readonly Advice[] {
  const { numWorkers, imageSize, task } = run.quantities;
  const now = numWorkers.value;
  if (now === null || task.value === 'infer') return [];
  const host = estimate?.host ?? null;
  const lacking = host?.capacityBytes ? host.bytes.expected - host.capacityBytes : 0;
  if (lacking > 0 && now > 1) {
    const text = workersText(run, Math.floor(now / 2));
    const why = say(
      'the machine lacks {0} of RAM: each worker is a process per GPU that prefetches batches; GPU memory stays the same',
      formatBytes(lacking),
    );
    return text === null ? [] : [{ text, why }];
  }
  if (now > 0 || imageSize.value === null) return [];
  const text = workersText(run, FIRST_WORKERS);
  const why = say(
    'workers load batches while the GPU computes, not between steps; each worker uses host RAM but no GPU memory',
  );
  return text === null ? [] : [{ text, why }];
}

/** With the dialect's key; else with the key that states the current number. */
function workersText(run: RunSpec, to: number): string | null {
  const { origin } = run.quantities.numWorkers;
  const stated = 'at' in origin && origin.at.path ? `${origin.at.path}: ${to}` : null;
  return written(run, { quantity: 'numWorkers', to }) ?? stated;
}

const STATE_DICT = /(?:^|_)state_dict_type$/;

/**
 * A sharded checkpoint needs no gathering (torch docs, "Getting Started with FSDP": rank 0 assembles
 * FULL_STATE_DICT, each rank saves its part of SHARDED_STATE_DICT).
 */
function savedInParts({ run, estimate, say }: RemedyContext): readonly Advice[] {
  if (run.quantities.fsdp.value === null) return [];
  const found = run.sources
    .flatMap(source => scalarsIn(source).map(key => ({ ...key, file: source.path })))
    .find(({ name, value }) => STATE_DICT.test(name) && /^full(?:_state_dict)?$/i.test(String(value)));
  if (!found) return [];
  const sharded = String(found.value).includes('_') ? 'SHARDED_STATE_DICT' : 'sharded';
  const checkpoint = estimate?.host?.terms.find(({ term }) => term === 'checkpoint')?.bytes.expected ?? 0;
  const why =
    checkpoint > 0
      ? say(
          "each rank saves its own shard, so rank 0 doesn't gather {0} of full weights; merge them afterwards (accelerate merge-weights)",
          formatBytes(checkpoint),
        )
      : say(
          "each rank saves its own shard, so rank 0 doesn't gather full weights; merge them afterwards (accelerate merge-weights)",
        );
  return [{ text: `${found.path}: ${sharded}`, why }];
}

/** The lines that the change adds; null if the format has no key for it or the file already sets it. */
function written(run: RunSpec, change: Change): string | null {
  const edits = editsFor(run, [change]);
  if (!edits.ok || edits.edits.length === 0) return null;
  return edits.edits.map(({ path, to }) => `${path}: ${to}`).join('\n');
}
