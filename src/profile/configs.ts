import type { ModelFacts, ModelLookup } from '../core/models/model';
import type { Files } from '../core/text/files';
import type { RunSpec } from '../core/spec/runSpec';
import type { DryRunModel } from './request';

/** The model as a config.json, and notes on its source. */
type ConfigFound =
  | { readonly ok: true; readonly model: DryRunModel; readonly notes: readonly string[] }
  | { readonly ok: false; readonly why: string };

/**
 * The config.json on this machine: the run's own, next to the config or in the Hugging Face cache. If only the
 * catalog knows the model, its facts are converted to a config.json.
 */
export async function configOf(
  run: RunSpec,
  facts: ModelFacts,
  lookup: ModelLookup | null,
  files: Files,
): Promise<ConfigFound> {
  if (run.ownModel?.as === 'config.json') return found(run.ownModel.config);
  if (run.ownModel) {
    return { ok: false, why: 'it is a Megatron-LM model, which Transformers does not have' };
  }
  if (facts.source !== 'catalog') {
    for (const path of lookup?.dependencies ?? []) {
      if (!path.endsWith('.json')) continue;
      const config = await configAt(files, path);
      if (config?.['model_type'] !== undefined) return found(config);
    }
    return { ok: false, why: `the config.json of ${facts.id} can no longer be found` };
  }
  return fromCatalog(facts);
}

const found = (config: Readonly<Record<string, unknown>>): ConfigFound => ({
  ok: true,
  model: { kind: 'transformers', config },
  notes: [],
});

async function configAt(files: Files, path: string): Promise<Readonly<Record<string, unknown>> | null> {
  const file = await files.read(path);
  if (!('text' in file)) return null;
  try {
    const value: unknown = JSON.parse(file.text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Sizes determine a dense model; for others transformers needs more than the catalog has. */
export function fromCatalog(facts: ModelFacts): ConfigFound {
  const { kind, experts, mla } = facts;
  if (experts > 0 || mla || (kind !== 'decoder' && kind !== 'encoder')) {
    const why = `the catalog lacks facts that Transformers needs for ${facts.modelType} models: put the config.json of ${facts.id} in a folder or in the Hugging Face cache`;
    return { ok: false, why };
  }
  const config = {
    model_type: facts.modelType,
    hidden_size: facts.hiddenSize,
    intermediate_size: facts.intermediateSize,
    num_hidden_layers: facts.layers,
    num_attention_heads: facts.heads,
    num_key_value_heads: facts.kvHeads,
    head_dim: facts.headDim,
    vocab_size: facts.vocabSize,
    tie_word_embeddings: facts.tiedEmbeddings,
    ...(facts.maxPositions === null ? {} : { max_position_embeddings: facts.maxPositions }),
    ...(facts.slidingWindow === null ? {} : { sliding_window: facts.slidingWindow }),
    ...(facts.activation === null ? {} : { hidden_act: facts.activation }),
  };
  const note = `sizes of ${facts.id} from the catalog, everything else from the defaults of Transformers`;
  return { ok: true, model: { kind: 'transformers', config }, notes: [note] };
}
