import { CUDA } from '../../dialects/command/nodes';
import { installedIn } from '../../dialects/command/pins';
import type { Layer } from '../../dialects/engine/compose';
import type { Program } from '../../python/program';
import type { ProgramSource } from '../../python/source';
import type { Argument, Call, Value } from '../../python/value';
import type { Launched } from '../../spec/runSpec';
import { statedBy } from './platform';

/*
 * Training jobs that a program hands to SageMaker: `HuggingFace(entry_point=…, hyperparameters={…}, instance_type=…)`. The
 * platform starts `python ENTRY_POINT --NAME VALUE …` (sagemaker-training-toolkit, mapping.to_cmd_args).
 */

/** sagemaker-python-sdk 2: src/sagemaker/{huggingface,pytorch}/estimator.py. */
const ESTIMATOR = /^sagemaker\.(?:huggingface|pytorch)(?:\.estimator)?\.(?:HuggingFace|PyTorch)$/;
const isEstimator = (name: string): boolean => name === 'HuggingFace' || name === 'PyTorch';

/** A job of such a platform: the words of its command, and where it runs. */
export interface Submitted {
  readonly words: readonly Value[];
  readonly launched: Launched;
}

/** Whether a program may hand a job to such a platform. */
export const submits = (program: Program): boolean => program.calls(isEstimator).length > 0;

/** The jobs that a program submits. */
export function submittedIn(program: Program, source: ProgramSource, opened: Layer): readonly Submitted[] {
  return program
    .calls(isEstimator)
    .filter(({ call }) => ESTIMATOR.test(call.name))
    .flatMap(({ call }) => {
      const words = commandOf(call);
      return words ? [{ words, launched: launchedOn(call, opened, source) }] : [];
    });
}

const argumentOf = ({ args }: Call, name: string): Argument | undefined =>
  args.find(one => one.name === name);

const textOf = (value: Value | undefined): string | null =>
  value?.kind === 'scalar' && typeof value.value === 'string' ? value.value : null;

/** Null: the script or its arguments are not known. */
function commandOf(call: Call): readonly Value[] | null {
  const script = argumentOf(call, 'entry_point')?.value;
  const entry = textOf(script);
  const given = argumentOf(call, 'hyperparameters')?.value;
  if (!script || entry === null || given?.kind !== 'fields') return null;
  const folder = textOf(argumentOf(call, 'source_dir')?.value)?.replace(/\/$/, '') ?? '';
  const path = /^(?:\.|$|\w+:)/.test(folder) && !folder.startsWith('./') ? entry : `${folder}/${entry}`;
  const word = (value: string, { span }: Pick<Value, 'span'>): Value => ({ kind: 'scalar', value, span });
  return [
    word(argumentOf(call, 'distribution') ? 'torchrun' : 'python', script),
    word(path, script),
    ...given.fields.flatMap(({ key, keySpan, value }) => [word(`--${key}`, { span: keySpan }), value]),
  ];
}

/** GPUs and machines of an instance type, and the releases of its image. */
function launchedOn(call: Call, opened: Layer, source: ProgramSource): Launched {
  const instance = argumentOf(call, 'instance_type');
  const found = instance && gpusOf(textOf(instance.value) ?? '');
  const count = argumentOf(call, 'instance_count');
  const nodes = count?.value.kind === 'scalar' ? Number(count.value.value) : Number.NaN;
  const pins = ['transformers', 'torch'].flatMap(library => {
    const pin = textOf(
      argumentOf(call, library === 'torch' ? 'pytorch_version' : 'transformers_version')?.value,
    );
    return pin !== null && /^\d+\.\d+\.\d+$/.test(pin) ? [`${library}==${pin}`] : [];
  });
  const releases = installedIn(pins);
  return {
    ...(instance &&
      found && {
        accelerator: CUDA,
        gpu: { value: found.gpu, origin: statedBy(instance, opened, source) },
        devices: { value: found.count, origin: statedBy(instance, opened, source), unit: 'GPUs' },
      }),
    ...(count &&
      Number.isInteger(nodes) &&
      nodes > 0 && { nodes: { value: nodes, origin: statedBy(count, opened, source), unit: 'nodes' } }),
    ...(releases.length > 0 && { releases }),
  };
}

/** The number of GPUs of an instance by its size; sizes that are not named have one. */
type Sizes = Readonly<Record<string, number>>;

const OF_GRAPHICS: Sizes = { '12xlarge': 4, '24xlarge': 4, '48xlarge': 8 };
const WHOLE: Sizes = { '24xlarge': 8, '48xlarge': 8 };

/** Families of instances with NVIDIA GPUs: aws.amazon.com/ec2/instance-types (accelerated computing), 2026. */
const FAMILIES: ReadonlyMap<string, readonly [gpu: string, sizes: Sizes]> = new Map<string, [string, Sizes]>([
  ['p3', ['V100-16GB', { '8xlarge': 4, '16xlarge': 8 }]],
  ['p3dn', ['V100-32GB', WHOLE]],
  ['p4d', ['A100-40GB', WHOLE]],
  ['p4de', ['A100-80GB', WHOLE]],
  ['p5', ['H100', WHOLE]],
  ['p5e', ['H200', WHOLE]],
  ['p5en', ['H200', WHOLE]],
  ['p6-b200', ['B200', WHOLE]],
  ['g4dn', ['T4', { '12xlarge': 4, metal: 8 }]],
  ['g5', ['A10G', OF_GRAPHICS]],
  ['g6', ['L4', OF_GRAPHICS]],
  ['g6e', ['L40S', OF_GRAPHICS]],
]);

/** `ml.g5.12xlarge`: its GPU and how many; null: it is not known. */
function gpusOf(instance: string): { readonly gpu: string; readonly count: number } | null {
  const [, family = '', size = ''] = /^ml\.(\w{2,8}(?:-\w{2,8})?)\.(\w{2,10})$/.exec(instance) ?? [];
  const [gpu, sizes] = FAMILIES.get(family) ?? [];
  return gpu === undefined ? null : { gpu, count: new Map(Object.entries(sizes ?? {})).get(size) ?? 1 };
}
