import type { ModelFacts } from '../../models/model';
import { stated } from '../configValues';
import type { Builder, Step } from '../modules';
import { add } from '../ops/pointwise';
import type { MemoryRun } from '../run';
import { selfAttention } from './attention';
import type { DecoderDesign } from './decoder';
import { attentionLayers, sectionsOf } from './hybrid';
import { layerTypes } from './layerKinds';
import type { LayerKind } from './layerKinds';
import type { Layer } from './layers';
import { buildLatentAttention } from './latentAttention';
import type { Attention } from './latentAttention';
import { buildLinearMixer, mixerColumns } from './linearMixer';
import { buildGatedMlp, buildPlainMlp } from './mlp';
import { buildLayerNorm, buildMeanNorm, buildRmsNorm } from './norm';
import { separateAttention } from './projections';
import { bothTurnedInFp32, partTurned, turned } from './rotary';
import type { Turn } from './rotary';
import { buildSharedExperts } from './sharedExperts';

/** The norm of the model's facts. */
function buildNorm(builder: Builder, run: MemoryRun, size = run.model.hiddenSize): Step {
  if (run.model.norm === 'layernorm') return buildLayerNorm(builder, size);
  const build = run.model.norm === 'rmsnorm' ? buildRmsNorm : buildMeanNorm;
  return build(builder, run, size);
}

const share = (model: ModelFacts): number => stated(model, 'partial_rotary_factor', 1);

function buildAttention(builder: Builder, run: MemoryRun): Attention {
  const { model } = run;
  if (model.extra['mixer'] === true) return buildLinearMixer(builder, run);
  if (model.mla) return buildLatentAttention(builder, run, model.mla);
  const headNorm = (size: number): Step => buildNorm(builder, run, size);
  const normsWhole = model.qkNorm === 'full' || model.qkNorm === 'each-head';
  const options = { turn: turnOf(model), normsWhole, ...(model.qkNorm && { headNorm }) };
  const attention = {
    ...separateAttention(builder, model, options),
    ...(share(model) !== 1 && { byHead: 'turned' as const }),
  };
  return (tape, x, context) => selfAttention(tape, x, attention, context);
}

function buildMlp(builder: Builder, run: MemoryRun): Step {
  const { model } = run;
  if (model.moe) return buildSharedExperts(builder, run, model.moe);
  return model.gatedMlp
    ? buildGatedMlp(builder, run)
    : buildPlainMlp(builder, model, { up: 'up_proj', down: 'down_proj' });
}

/** Attention, then MLP: a norm before each, after each as well with four norms, or one for both. */
function layer(builder: Builder, run: MemoryRun): Layer {
  const { normsPerLayer } = run.model;
  const attention = buildAttention(builder, run);
  const mlp = buildMlp(builder, run);
  const norm = (): Step => buildNorm(builder, run);
  const before = norm();
  if (normsPerLayer === 1) return sideBySide({ attention, mlp, before });
  const between = norm();
  const after = normsPerLayer === 4 ? ([norm(), norm()] as const) : null;
  return (tape, x, context) =>
    tape.call([x], () => {
      let states = tape.name(before(tape, x));
      const [mixed = states, ...weights] = attention(tape, states, context);
      states = tape.rename(states, mixed);
      for (const kept of weights) tape.name(kept);
      if (after) states = tape.rename(states, after[0](tape, states));
      const middle = tape.rename(states, add(tape, x, states));
      states = tape.name(between(tape, middle));
      states = tape.rename(states, mlp(tape, states));
      if (after) states = tape.rename(states, after[1](tape, states));
      return add(tape, middle, states);
    });
}

interface Side {
  readonly attention: Attention;
  readonly mlp: Step;
  readonly before: Step;
}

function sideBySide({ attention, mlp, before }: Side): Layer {
  return (tape, x, context) =>
    tape.call([x], () => {
      const states = tape.name(before(tape, x));
      const [mixed = states, ...weights] = attention(tape, states, context);
      const attended = tape.name(mixed);
      for (const kept of weights) tape.name(kept);
      const change = tape.name(mlp(tape, states));
      return add(tape, add(tape, x, attended), change);
    });
}

/** Windows by the facts, with a period of global layers if stated. */
function kinds(model: ModelFacts): readonly LayerKind[] {
  const period = model.extra['sliding_window_pattern'];
  return layerTypes(model, typeof period === 'number' ? period : 1);
}

/** Share of layers with attention, by default one in four: Qwen3-Next, Kimi Linear, Qwen 3.5. */
const HYBRID_SHARE = 0.25;

function sections(model: ModelFacts): readonly ModelFacts[] {
  const known = attentionLayers(model);
  const isHybrid = model.kind === 'state-space' || hasOthers(model);
  if (!isHybrid) return sectionsOf(model, model.layers);
  const attention = known ?? Math.round(model.layers * HYBRID_SHARE);
  const columns = stated(model, 'mixer_columns', mixerColumns(model, model.layers - attention));
  return sectionsOf({ ...model, extra: { ...model.extra, mixer_columns: columns } }, attention);
}

/** True if some layers are listed as something other than attention. */
function hasOthers({ extra }: ModelFacts): boolean {
  if (typeof extra['full_attention_interval'] === 'number') return true;
  const listed = extra['layer_types'];
  const words = Array.isArray(listed) ? listed : [];
  return words.some(word => typeof word === 'string' && /linear|mamba|conv|recurrent/.test(word));
}

const rotated = (model: ModelFacts): number =>
  model.positions === 'rope' ? (model.mla?.qkRopeHeadDim ?? model.headDim * share(model)) : 0;

/** Rotation is done entirely in fp32 (Cohere). */
const turnOf = (model: ModelFacts): Turn => {
  if (model.norm === 'layernorm-no-bias') return bothTurnedInFp32;
  return share(model) === 1 ? turned : partTurned(share(model));
};

/** The common decoder, built from a model's facts: norms, heads, latents, experts, layers without attention. */
export const commonDesign: DecoderDesign = { layer, norm: buildNorm, rotated, kinds, sections };
