import type { ModelCatalog } from '../../../src/core/models/catalog';
import { modelFromConfigJson } from '../../../src/core/models/fromConfig';
import type { ModelFacts } from '../../../src/core/models/model';
import { simpleTunerModel } from './denoising';
import configs from './models.json';

/** Suffixes of copies that differ only in how weights are stored, or in their training data. */
const COPY = /(?:[-_](?:GPTQ|AWQ|bnb-4bit|4bit|Int[48]|FP8|nf4|Chat|Instruct)|\(bnb\))+$/i;

/**
 * The architecture that a record names: by its id, by its own config, or, for a quantized copy, that of its
 * original.
 */
export function namedModel(words: string, catalog: ModelCatalog): ModelFacts | null {
  const named = simpleTunerModel(words);
  // An unknown family of SimpleTuner must not match another with the same prefix.
  if (named === 'unknown') return null;
  const id = named ?? words.split(' ')[0] ?? '';
  const base = id.replace(COPY, '');
  return (
    catalog.find(id) ??
    listed(id) ??
    listed(base) ??
    (COPY.test(id) ? original(id, catalog) : null) ??
    abbreviated(id, catalog)
  );
}

function listed(id: string): ModelFacts | null {
  const config = (configs as Readonly<Record<string, unknown>>)[id];
  if (typeof config !== 'object') return null;
  const reading = modelFromConfigJson(id, JSON.stringify(config), 'config.json');
  return reading.ok ? reading.model : null;
}

function original(id: string, catalog: ModelCatalog): ModelFacts | null {
  const name = lastPart(id.replace(COPY, ''));
  const owners = new Set(catalog.ids().map(known => known.slice(0, Math.max(0, known.indexOf('/')))));
  for (const owner of owners) {
    const copied = catalog.find(`${owner}/${name}`);
    if (copied) return copied;
  }
  const source = catalog.ids().find(known => lastPart(known) === name || lastPart(known) === `${name}-hf`);
  return source === undefined ? null : catalog.find(source);
}

/** An id without its release, as people write it: the first id that continues it. */
function abbreviated(id: string, catalog: ModelCatalog): ModelFacts | null {
  const start = id.toLowerCase();
  const full = catalog.ids().find(known => known.toLowerCase().startsWith(`${start}-`));
  return full === undefined ? null : catalog.find(full);
}

const lastPart = (id: string): string => (id.split('/').at(-1) ?? '').toLowerCase();
