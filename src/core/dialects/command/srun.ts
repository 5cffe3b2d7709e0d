import type { Quantity } from '../../spec/quantity';
import type { Launched } from '../../spec/runSpec';
import { CUDA } from './nodes';
import { VISIBLE } from './word';
import type { Command } from './word';

/** Options of srun without a value (srun(1)); all others take the next word. */
const FLAGS_WITHOUT_VALUE =
  /^(?:-[lklvQuXIKOZ]+|-[A-Za-z]\d+|--(?:label|exclusive|overlap|pty|unbuffered|verbose|quiet|no-kill|wait-all-nodes|container-(?:mount-home|remap-root|writable|no-mount-home)|no-container-\w[\w-]*|kill-on-bad-exit|disable-status|overcommit))$/;

const headOf = (command: Command): number => (VISIBLE.test(command[0]?.text ?? '') ? 1 : 0);

/** Where the command that srun starts begins; -1: it is not srun. */
function startedAt(command: Command): number {
  const head = headOf(command);
  if (command[head]?.text !== 'srun') return -1;
  let at = head + 1;
  for (let option = command[at]?.text; option === '' || option?.startsWith('-'); option = command[at]?.text) {
    at += option === '' || option.includes('=') || FLAGS_WITHOUT_VALUE.test(option) ? 1 : 2;
  }
  return at;
}

/** The command that srun starts; other commands unchanged. */
export function withoutSrun(command: Command): Command {
  const at = startedAt(command);
  return at < 0 ? command : [...command.slice(0, headOf(command)), ...command.slice(at)];
}

/** `8`, `a100:4`, `gpu:a100:4`, `gpu:4(S:0-1)`: the count. */
export function gpusIn(text: string | null): number | null {
  if (text === null) return null;
  const gpu = text.split(',').find(one => /^gpu\b/.test(one)) ?? text;
  const match = /(?:^|:)(\d+)(?:\(.*\))?$/.exec(gpu);
  return match ? Number(match[1]) : /^(?:gpu|gpu:[a-z]\w*)$/i.test(gpu) ? 1 : null;
}

/** The GPUs that srun asks for itself (srun(1)); empty: it asks for none, or leaves open how many a node has. */
export function askedBySrun(command: Command): Launched {
  const at = startedAt(command);
  const options = at < 0 ? [] : command.slice(headOf(command) + 1, at);
  const perNode = gpusIn(optionIn(options, /^--(?:gres|gpus-per-node)(?:=|$)/));
  const perTask = gpusIn(optionIn(options, /^--gpus-per-task(?:=|$)/));
  const tasks = Number(optionIn(options, /^(?:-n|--ntasks(?:=|$))/) ?? 1);
  const total =
    gpusIn(optionIn(options, /^(?:-G|--gpus(?:=|$))/)) ?? (perTask === null ? null : perTask * tasks);
  const stated = optionIn(options, /^(?:-N|--nodes(?:=|$))/);
  const nodes = stated === null ? 1 : Number(stated);
  const count = perNode ?? (total === null ? null : total / nodes);
  if (count === null || !Number.isInteger(count) || count < 1) return {};
  const asked = (value: number): Quantity<number> => ({
    value,
    origin: { kind: 'derived', from: ['srun'], formula: `srun asks for ${value}` },
  });
  return {
    devices: { ...asked(count), unit: 'GPUs' },
    nodes: { ...asked(nodes), unit: 'nodes' },
    accelerator: CUDA,
  };
}

/** The value of an option: `-N 2`, `-N2`, `--nodes 2`, `--nodes=2`; null: it is not there, or not known. */
function optionIn(options: Command, named: RegExp): string | null {
  const at = options.findIndex(({ text }) => named.test(text));
  const word = options[at];
  if (!word) return null;
  const inline = word.text.replace(named, '');
  const value = inline === '' ? options[at + 1] : word;
  return value?.open === false ? inline || value.text : null;
}
