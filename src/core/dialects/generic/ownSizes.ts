import type { SourceFile } from '../../spec/runSpec';
import { leavesOf } from './leaves';

/** Words in key names that describe the size or kind of a custom model. */
const SIZES =
  /(?:^|_)(?:d_model|dims?|hidden|width|depth|layers?|heads?|channels?|filters|features|units|blocks|stages|backbone|encoder|decoder|arch|architecture|variant|model|model_name|model_type|embed|embedding|ffn|mlp|vocab|resolution|patch|kernel|window|frames|scale|num_classes|expansion|bottleneck|seq_len|history)s?(?:_|$)/;

/** Keys with these words that do not affect the memory of a step. */
const NO_SIZE =
  /(?:^|_)(?:path|dir|file|folder|checkpoint|ckpt|log|logging|seed|lr|rate|decay|dropout|momentum|name_or_path)(?:_|$)/;

/**
 * The size keys of a config as text: `decoder.d_model=128, decoder.layers=6`. Runs that differ in them are
 * different, even if no dialect reads these keys. Empty: none.
 */
export function ownSizesOf(sources: readonly SourceFile[]): string {
  const sizes = new Map<string, string>();
  for (const { yaml, document, base, via } of sources) {
    const root = yaml.documents[document]?.root ?? null;
    if (root === null || base.length > 0 || !['config', 'overlay', 'beneath'].includes(via.kind)) continue;
    const mount = 'mount' in via && via.mount !== '' ? `${via.mount}.` : '';
    for (const { key, name, node, value } of leavesOf(root)) {
      if (!SIZES.test(name) || NO_SIZE.test(name)) continue;
      const text = node.kind === 'sequence' ? yaml.text.slice(node.span.start, node.span.end) : String(value);
      // The config's own keys win over those of its bases.
      if (via.kind !== 'beneath' || !sizes.has(mount + key)) {
        sizes.set(mount + key, text.replaceAll(/\s+/g, ' '));
      }
    }
  }
  return [...sizes]
    .map(([key, text]) => `${key}=${text}`)
    .sort()
    .join(', ');
}
