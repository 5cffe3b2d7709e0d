import type { ModelFacts, ModelKind } from '../../models/model';
import { counted, formatBytes } from '../../units';
import type { RunSpec } from '../../spec/runSpec';
import type { Dtype } from '../../spec/values';
import type { Advice } from '../plan';
import type { RemedyContext } from '../remedy';
import type { MapProposal } from './proposal';

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
  const why = whyOf(proposal);
  const thresholds = describeThresholds(proposal);
  return [
    ...(isPlanned ? [] : [{ text: yamlOf(proposal), why }]),
    { text: pythonOf(context, proposal), why: isPlanned ? `${why}; ${thresholds}` : thresholds },
    ...(proposal.fewerBits ? [quantizationAdvice(proposal.fewerBits)] : []),
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
function whyOf({ kind, placed, devices, supposedTokens }: MapProposal): string {
  const tokens = supposedTokens === null ? '' : `, with room for texts of ${supposedTokens} tokens`;
  const [worst] = devices;
  const need = worst ? `${formatBytes(worst.device.expected)} on the fullest GPU${tokens}` : '';
  if (kind === 'one GPU') return `fits one GPU: ${need.replace(' on the fullest GPU', '')}`;
  const parts = placed.map(({ device, layers, bytes }) => {
    const place = typeof device === 'number' ? `GPU ${device}` : device === 'cpu' ? 'the host' : 'the disk';
    return `${counted(layers, 'layer')} on ${place} (${formatBytes(bytes)})`;
  });
  const price = kind === 'offload' ? '; each pass moves offloaded layers to the GPU' : '';
  return `${parts.join(', ')}; ${need}${price}`;
}

const wholeGigabytes = (bytes: number): number => Math.ceil(bytes / 2 ** 30);

/** The memory sizes from which each way of loading suits this model. */
function describeThresholds({ thresholds }: MapProposal): string {
  const { whole, ofTwo, keptFree, onCpu } = thresholds;
  const words = [
    `of this model: one GPU of ${wholeGigabytes(whole)} GB or more fits it`,
    ...(ofTwo === null ? [] : [`two GPUs of ${wholeGigabytes(ofTwo)} GB share it`]),
    `smaller GPUs offload, with ${formatBytes(keptFree)} kept free next to the weights`,
    ...(onCpu === null ? [] : [`a CPU computes in float32 with ${formatBytes(onCpu)}`]),
  ];
  return words.join('; ');
}

const quantizationAdvice = ({ bits, bytes }: NonNullable<MapProposal['fewerBits']>): Advice => ({
  text: `load_in_${bits}bit: true`,
  why: `in ${bits} bits it would fit one GPU with ${formatBytes(bytes)}: answers differ ${bits === 8 ? 'slightly' : 'somewhat'}`,
});
