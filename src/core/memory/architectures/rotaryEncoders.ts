import type { Architecture } from '../architecture';
import { activationNamed } from '../blocks/activation';
import { buildGatedMlp, buildPlainMlp } from '../blocks/mlp';
import { buildPostNormLayer, wordsAndTypes } from '../blocks/postNormLayer';
import { rotaryEncoderArchitecture } from '../blocks/rotaryEncoder';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { dropout, mul } from '../ops/pointwise';
import type { MemoryRun } from '../run';

/** XLM-RoBERTa with rotary positions. Its task adapters are LoRA, merged or separate. */
export const jinaV3: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['jina_embeddings_v3', 'xlm-roberta-flash'],
  source: 'transformers 5.23.0, models/jina_embeddings_v3/modeling_jina_embeddings_v3.py',
  embeddings: wordsAndTypes(1),
  layer: (builder, run, given) =>
    buildPostNormLayer(builder, run, given, () =>
      buildPlainMlp(builder, run.model, { up: 'fc1', down: 'fc2' }),
    ),
  pooler: true,
  rates: { hidden: ['hidden_dropout_prob', 0.1], attention: ['attention_probs_dropout_prob', 0.1] },
  softmax: 'own',
  indexTables: 2,
});

/** The default of NomicBertConfig. */
const TYPES = 2;

/** BERT with rotary positions and gated MLPs. */
export const nomicBert: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['nomic_bert'],
  source: 'transformers 5.23.0, models/nomic_bert/modeling_nomic_bert.py',
  embeddings: wordsAndTypes(TYPES),
  layer: (builder, run, given) => buildPostNormLayer(builder, run, given, () => buildGatedMlp(builder, run)),
  rates: { hidden: ['hidden_dropout_prob', 0], attention: ['attention_probs_dropout_prob', 0] },
  softmax: 'own',
  indexTables: 2,
});

/** GteMLP: a gate without biases, and dropout before the last product. */
function buildGteMlp(builder: Builder, { model, task }: MemoryRun): Step {
  const { hiddenSize: hidden, intermediateSize: inner } = model;
  const wide = (name: string) => builder.linear({ name, inputs: hidden, outputs: inner, bias: false });
  const [gate, up] = [wide('gate_proj'), wide('up_proj')];
  const down = builder.linear({ name: 'down_proj', inputs: inner, outputs: hidden, bias: true });
  const act = activationNamed(model.activation);
  const rate = task === 'train' ? stated(model, 'hidden_dropout_prob', DROPOUT) : 0;
  return (tape, x) =>
    tape.call([x], () => {
      const gated = act(tape, gate(tape, x));
      const both = tape.name(mul(tape, gated, up(tape, x)));
      return down(tape, tape.rename(both, dropout(tape, both, rate)));
    });
}

/** The default of GteConfig. */
const DROPOUT = 0.1;

/** BERT with rotary positions and gated MLPs; `new` is the type in the checkpoints' own code. */
export const gte: Architecture = rotaryEncoderArchitecture({
  modelTypes: ['gte', 'new'],
  source: 'transformers 5.23.0, models/gte/modeling_gte.py',
  embeddings: wordsAndTypes(1),
  layer: (builder, run, given) => buildPostNormLayer(builder, run, given, () => buildGteMlp(builder, run)),
  rates: { hidden: ['hidden_dropout_prob', DROPOUT], attention: ['attention_probs_dropout_prob', 0] },
  softmax: 'own',
});
