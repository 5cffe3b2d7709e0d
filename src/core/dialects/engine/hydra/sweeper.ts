import type { Entry } from '../../../yaml/node';
import { find, resolve } from '../../../yaml/path';
import type { Composition, Layer } from '../compose';
import { cellsOf, scalarAt } from '../sweep';
import type { Axis } from '../sweep';

/** `choice(32, 64)`; the basic sweeper uses `32,64`, and `range(1, 9)` without its end. Intervals have no cells. */
const CHOICE = /^(?:choice\((.*)\)|([^()][^(),]*,[^()]+))$/s;
const RANGE = /^range\(\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$/;
const ITEM = /[^\s,](?:[^,]*[^\s,])?/g;

/** A run for each cell of `hydra.sweeper.params` (`search_space` before 1.2) in its files. */
export function sweptCells(run: Composition): readonly Composition[] {
  for (const layer of [...run.layers, ...(run.beneath ?? [])]) {
    const axes = axesIn(layer);
    if (axes.length > 0) return cellsOf(run, axes, layer);
  }
  return [run];
}

function axesIn({ yaml, document }: Layer): readonly Axis[] {
  const found = find(yaml.documents[document]?.root ?? null, ['hydra', 'sweeper', 'params']);
  const params = found && resolve(found.node);
  return params?.kind === 'map' ? params.entries.flatMap(entry => axisOf(entry, yaml.text)) : [];
}

function axisOf({ key, keySpan, value }: Entry, text: string): readonly Axis[] {
  const at = resolve(value);
  if (at?.kind !== 'scalar' || typeof at.value !== 'string' || at.style === 'literal') return [];
  const choice = CHOICE.exec(at.value);
  const items = choice?.[1] ?? choice?.[2];
  if (items !== undefined) {
    const start = text.indexOf(items, at.span.start);
    if (start < 0 || start > at.span.end) return [];
    const spans = [...items.matchAll(ITEM)].map(item => ({
      start: start + item.index,
      end: start + item.index + item[0].length,
    }));
    return [{ key, keySpan, values: spans.map(span => scalarAt(text, span)) }];
  }
  const range = RANGE.exec(at.value);
  if (!range) return [];
  const [from = 0, to = 0, step = 1] = range.slice(1).filter(Boolean).map(Number);
  const last = from + Math.ceil((to - from) / step - 1) * step;
  return [{ key, keySpan, values: [{ ...at, value: last, source: String(last) }] }];
}
