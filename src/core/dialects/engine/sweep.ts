import type { ScalarNode, ScalarValue } from '../../yaml/node';
import { parsePath } from '../../yaml/path';
import { layerOf, mapOf } from './settings';
import type { Composition, Layer, Setting } from './compose';

type Span = ScalarNode['span'];

/** A key for which a sweep tries several values. */
export interface Axis {
  readonly key: string;
  readonly keySpan: Span;
  readonly values: readonly ScalarNode[];
}

/** Limit of cells; in larger grids the last axes are fixed at their largest value. */
const MOST_CELLS = 24;

/** Keys that do not affect tensor sizes. */
export const WITHOUT_MEMORY =
  /(?:^|[._])(?:lr|learning_rate|weight_decay|dropout|seed|warmup\w*|momentum|beta\w*|gamma|eps|temperature|alpha|tau|max_epochs|epochs|max_steps|num_train_epochs|scheduler|lr_scheduler_type|clip\w*)(?:[._]|$)/i;

/**
 * A run for each cell of a sweep, with the cell's values as an overlay; the run itself if no swept key affects
 * memory.
 */
export function cellsOf(run: Composition, axes: readonly Axis[], file: Layer): readonly Composition[] {
  const swept = axes.filter(({ key, values }) => values.length > 0 && !WITHOUT_MEMORY.test(key));
  if (swept.length === 0) return [run];
  const tried = limitAxes(swept, MOST_CELLS);
  const cells = tried.reduce<readonly (readonly Setting[])[]>(
    (before, axis) => before.flatMap(cell => axis.values.map(value => [...cell, settingOf(axis, value)])),
    [[]],
  );
  const varying = new Set(tried.filter(({ values }) => values.length > 1).map(({ key }) => key));
  return cells.map(cell => ({
    ...run,
    name: [run.name, ...cell.filter(one => varying.has(keyOf(one))).map(settingText)]
      .filter(Boolean)
      .join(' '),
    layers: [...run.layers, layerOf(file, mapOf(cell, cell[0]?.value.span ?? NOWHERE), '')],
  }));
}

const NOWHERE: Span = { start: 0, end: 0 };

const settingOf = ({ key, keySpan }: Axis, value: ScalarNode): Setting => ({
  path: parsePath(key),
  keySpan,
  value,
  from: parsePath(key),
});

const keyOf = ({ path }: Setting): string => path.join('.');

const settingText = (setting: Setting): string =>
  `${keyOf(setting)}=${setting.value.kind === 'scalar' ? setting.value.source : ''}`;

function limitAxes(axes: readonly Axis[], most: number): readonly Axis[] {
  const kept = [...axes];
  const cells = (): number => kept.reduce((product, { values }) => product * values.length, 1);
  for (let last = kept.length - 1; last >= 0 && cells() > most; last--) {
    const axis = kept[last];
    if (axis) kept[last] = { ...axis, values: largest(axis.values) };
  }
  return kept;
}

/** The value that needs the most: the largest number, or the last word. */
function largest(values: readonly ScalarNode[]): readonly ScalarNode[] {
  const size = ({ value }: ScalarNode): number => (typeof value === 'number' ? value : 0);
  return values.toSorted((a, b) => size(a) - size(b)).slice(-1);
}

/** A value within a text, `64` in `choice(32, 64)`, as a scalar with its position. */
export function scalarAt(text: string, span: Span): ScalarNode {
  const source = text.slice(span.start, span.end);
  return { kind: 'scalar', value: plain(source), source, style: 'plain', opaque: null, span, anchor: null };
}

function plain(source: string): ScalarValue {
  if (/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?$/i.test(source)) return Number(source);
  if (/^(?:true|false)$/i.test(source)) return source.toLowerCase() === 'true';
  return source.replace(/^(['"])(.*)\1$/, '$2');
}
