import { foldersAbove, join } from '../../text/paths';
import type { Span } from '../../text/span';
import type { MapNode, YamlNode } from '../../yaml/node';
import { resolve } from '../../yaml/path';
import type { YamlPath } from '../../yaml/path';
import { nodeAt, rootOf } from '../command/nodes';
import type { Composer, Composition, Layer, NearbyFiles } from '../engine/compose';
import { layerOf } from '../engine/settings';

const CHART = 'Chart.yaml';
const VALUES = 'values.yaml';
const FOLDERS = 3;

/** The values of the chart beside which a file of values lies, in its folder or below it; null: it has none, or they are these. */
async function chartValues(opened: Layer, files: NearbyFiles): Promise<Layer | null> {
  for (const folder of foldersAbove(opened.path, FOLDERS)) {
    const names = await files.list(folder);
    if (!names.includes(CHART)) continue;
    const path = join(folder, VALUES);
    const yaml = path === opened.path || !names.includes(VALUES) ? null : await files.read(path);
    return yaml?.documents[0]?.root ? { path, yaml, document: 0, mount: null } : null;
  }
  return null;
}

/**
 * Runs of a chart's values; of other values that lie beside a chart, over the chart's own: mappings are merged, lists are
 * replaced (helm.sh/docs/chart_template_guide/values_files). `readerOf`: how values with these keys are read.
 */
export function overChart(own: Composer, readerOf: (values: MapNode) => Composer | null): Composer {
  return async (opened, files) => {
    const runs = await own(opened, files);
    const chart = runs.length > 0 ? await chartValues(opened, files) : null;
    const values = chart && rootOf(chart);
    const beneath = (values && (await readerOf(values)?.(chart, files))) ?? [];
    const replaced = replacedLists(values, rootOf(opened));
    return runs.map(run => {
      const under =
        beneath.find(({ name }) => name === run.name) ?? (beneath.length === 1 ? beneath[0] : null);
      return under && runs.length <= beneath.length ? over(run, under, replaced) : run;
    });
  };
}

function over(run: Composition, under: Composition, replaced: readonly Span[]): Composition {
  const layers = under.layers.flatMap(layer => {
    const root = rootOf(layer);
    const entries = root?.entries.filter(({ keySpan }) => !replaced.some(span => isIn(keySpan, span)));
    return root && entries ? [layerOf(layer, { ...root, entries }, '')] : [];
  });
  return {
    ...run,
    beneath: [...(under.beneath ?? []), ...layers, ...(run.beneath ?? [])],
    launched: { ...under.launched, ...run.launched },
  };
}

const isIn = (inner: Span, { start, end }: Span): boolean => start <= inner.start && inner.end <= end;

/** The lists of a chart that other values state, too. */
function replacedLists(chart: MapNode | null, values: MapNode | null): readonly Span[] {
  const found: Span[] = [];
  const visit = (node: YamlNode | null, path: YamlPath): void => {
    const at = node && resolve(node);
    if (at?.kind === 'sequence' && nodeAt(values, ...path) !== null) found.push(at.span);
    if (at?.kind === 'map') for (const { key, value } of at.entries) visit(value, [...path, key]);
  };
  visit(chart, []);
  return found;
}
