import type { ModelFacts, ModelKind } from '../../models/model';
import { formatBytes } from '../../units';
import type { RunSpec } from '../../spec/runSpec';
import type { Dtype } from '../../spec/values';
import type { Advice } from '../plan';
import type { RemedyContext } from '../remedy';
import type { MapProposal } from './proposal';
import type { DeviceEstimate } from '../../memory/estimate';
import { commas } from '../../text/lists';
import type { Say } from '../../text/say';

const DTYPES: Readonly<Partial<Record<Dtype, string>>> = {
  bf16: 'bfloat16',
  fp16: 'float16',
  fp32: 'float32',
};

/** The folder for weights that neither GPUs nor host RAM hold. */
export const FOLDER = './offload_cache';

/** The proposal as text to copy: a YAML block if no plan writes it, and a call of from_pretrained. */
export function mapAdvice(
  context: RemedyContext,
  proposal: MapProposal,
  isPlanned: boolean,
): readonly Advice[] {
  const { say } = context;
  const why = whyOf(say, proposal);
  const thresholds = describeThresholds(say, proposal);
  return [
    ...(isPlanned ? [] : [{ text: yamlOf(proposal), why }]),
    { text: pythonOf(context, proposal), why: isPlanned ? say('{0}; {1}', why, thresholds) : thresholds },
    ...(proposal.fewerBits ? [quantizationAdvice(say, proposal.fewerBits)] : []),
  ];
}

function yamlOf({ map, maxMemory, usesDisk }: MapProposal): string {
  const rooms = Object.entries(maxMemory ?? {}).map(([device, gib]) => `  ${device}: ${gib}GiB`);
  return [
    `device_map: ${map}`,
    ...(rooms.length > 0 ? ['max_memory:', ...rooms] : []),
    ...(usesDisk ? [`offload_folder: ${FOLDER}`] : []),
  ].join('\n');
}

function pythonOf({ run, model }: RemedyContext, { map, maxMemory, usesDisk }: MapProposal): string {
  const dtype = DTYPES[run.quantities.loadDtype.value ?? 'fp8'];
  const rooms = Object.entries(maxMemory ?? {}).map(([device, gib]) => {
    return `${/^\d+$/.test(device) ? device : `"${device}"`}: "${gib}GiB"`;
  });
  const name = run.quantities.model.value ?? '';
  const lines = [
    JSON.stringify(name),
    dtype === undefined ? 'dtype="auto"' : `dtype=torch.${dtype}`,
    `device_map="${map}"`,
    ...(rooms.length > 0 ? [`max_memory={${rooms.join(', ')}}`] : []),
    ...(usesDisk ? [`offload_folder="${FOLDER}"`] : []),
    ...quantizedBy(run.quantities.quantization),
  ];
  return [`model = ${classOf(model)}.from_pretrained(`, ...lines.map(line => `    ${line},`), ')'].join('\n');
}

/** How weights are quantized on loading; a quantized checkpoint says so itself. */
function quantizedBy({ value, origin }: RunSpec['quantities']['quantization']): readonly string[] {
  const bits = value?.bits ?? null;
  if (value === null || bits === null) return [];
  if (value.method !== 'bnb') {
    const isStated = origin.kind === 'file' || origin.kind === 'referenced';
    return isStated ? ['quantization_config=quantization_config'] : [];
  }
  const { type, doubleQuant, computeDtype } = value;
  const dtype = computeDtype && DTYPES[computeDtype];
  const settings = [
    `load_in_${bits}bit=True`,
    ...(bits === 4 && type !== null ? [`bnb_4bit_quant_type="${type}"`] : []),
    ...(bits === 4 && doubleQuant ? ['bnb_4bit_use_double_quant=True'] : []),
    ...(bits === 4 && dtype ? [`bnb_4bit_compute_dtype=torch.${dtype}`] : []),
  ];
  return [`quantization_config=BitsAndBytesConfig(${settings.join(', ')})`];
}

/** The transformers class for a kind of model; if there are several, the task decides. */
const CLASSES: Readonly<Partial<Record<ModelKind, string>>> = {
  'vision-language': 'AutoModelForImageTextToText',
  'encoder-decoder': 'AutoModelForSeq2SeqLM',
  encoder: 'AutoModel',
};

const classOf = (model: ModelFacts | null): string =>
  (model && CLASSES[model.kind]) ?? 'AutoModelForCausalLM';

/** `layers 0–57 on GPU 0 (12.0 GB), …`. */
function whyOf(say: Say, { kind, placed, devices, supposedTokens }: MapProposal): string {
  const need = needText(say, devices[0], kind === 'one GPU', supposedTokens);
  if (kind === 'one GPU') return say('fits one GPU: {0}', need);
  const parts = placed.map(({ device, layers, bytes }) => {
    const many = layers === 1 ? say('1 layer') : say('{0} layers', layers);
    return say('{0} on {1} ({2})', many, placeText(say, device), formatBytes(bytes));
  });
  const all = say('{0}; {1}', commas(say, parts), need);
  return kind === 'offload' ? say('{0}; each pass moves offloaded layers to the GPU', all) : all;
}

function needText(
  say: Say,
  worst: DeviceEstimate | undefined,
  isOne: boolean,
  tokens: number | null,
): string {
  if (!worst) return '';
  const bytes = formatBytes(worst.device.expected);
  const need = isOne ? bytes : say('{0} on the fullest GPU', bytes);
  return tokens === null ? need : say('{0}, with room for texts of {1} tokens', need, tokens);
}

function placeText(say: Say, device: number | 'cpu' | 'disk'): string {
  if (typeof device === 'number') return `GPU ${device}`;
  return device === 'cpu' ? say('the host') : say('the disk');
}

const wholeGigabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 30);

/** The memory sizes from which each way of loading suits this model. */
function describeThresholds(say: Say, { thresholds }: MapProposal): string {
  const { whole, ofTwo, keptFree, onCpu } = thresholds;
  const words = [
    say('of this model: one GPU of {0} GB or more fits it', wholeGigabytes(whole)),
    ...(ofTwo === null ? [] : [say('two GPUs of {0} GB share it', wholeGigabytes(ofTwo))]),
    say('smaller GPUs offload, with {0} kept free next to the weights', formatBytes(keptFree)),
    ...(onCpu === null ? [] : [say('a CPU computes in float32 with {0}', formatBytes(onCpu))]),
  ];
  return words.join('; ');
}

const quantizationAdvice = (say: Say, { bits, bytes }: NonNullable<MapProposal['fewerBits']>): Advice => ({
  text: `load_in_${bits}bit: true`,
  why:
    bits === 8
      ? say('in 8 bits it would fit one GPU with {0}: answers differ slightly', formatBytes(bytes))
      : say('in {0} bits it would fit one GPU with {1}: answers differ somewhat', bits, formatBytes(bytes)),
});
