import type { Setting } from '../../dialects/engine/compose';
import { modulesOf } from './imported';
import { scalarNode } from './nodes';
import type { Project } from '../../python/project';
import type { Span } from '../../text/span';

/** What may compute on another device, or hands the loop or the network to a library that does. */
const ELSEWHERE =
  /cuda|gpu|\b(?:mps|xpu|hpu|npu|xla|tpu)\b|set_default_device|accelerat|fabric|lightning|deepspeed|ignite|catalyst|skorch|fastai|horovod|composer|\bray\b|DataParallel|Trainer\b|from_pretrained|\bhub\b|\bjit\b|importlib|\b(?:tensorflow|jax|paddle|mxnet|oneflow|directml)\b/i;

/** Asks a GPU something, or seeds it, and computes nothing there. */
const HARMLESS =
  /torch\.(?:cuda\.(?:manual_seed(?:_all)?|empty_cache|synchronize)|backends\.cudnn\.\w{1,30})/g;

/** `.to(…)`, without what only names a dtype. */
const MOVES = /\.to\([ \t\n]{0,20}(?!torch\.(?:b?float|u?int|long|half|double|bool)|dtype\b)([^)\n]{0,60})/g;
const AT_CPU = /^(?:device[ \t]{0,8}=[ \t]{0,8})?["']cpu["']/;
/** A name of the CPU; a parameter or an option of the name is of any device. */
const CPU =
  /\b((?:\w{1,20}\.)?\w{0,20}(?:device|DEVICE)\w{0,10})[ \t]{0,8}=[ \t]{0,8}(?:torch\.device\()?["']cpu["']\)?[ \t]{0,8}$/gm;
const DEVICE = /\b(?:\w{1,20}\.)?\w{0,20}(?:device|DEVICE)\w{0,10}(?![ \t]{0,4}=(?!=))/g;
/** The device of a tensor, wherever that is. */
const OF_TENSOR = /^(?!(?:self|cls|args|opts?|cfg|conf\w*|params|hparams|torch)\.)\w{1,40}\.device$/;

/**
 * The setting of a program of torch that computes on the CPU: nothing of it, nor of the modules that it imports from its
 * project, moves a network (torch docs, "torch.nn.Module.to": parameters are made on the CPU). None where a module is not read.
 */
export function deviceOfLoop(text: string, project: Project | null, keySpan: Span): readonly Setting[] {
  const texts = project ? modulesOf(text, project) : [text];
  if (texts === null || !staysOnCpu(texts)) return [];
  const value = scalarNode('cpu', 'cpu', keySpan);
  return [{ path: ['accelerator'], keySpan, value, from: ['accelerator'] }];
}

function staysOnCpu(texts: readonly string[]): boolean {
  const code = texts
    .join('\n')
    .replaceAll(/#[^\n]*/g, '')
    .replaceAll(HARMLESS, '');
  if (!/\bimport torch\b|\bfrom torch\b/.test(code) || ELSEWHERE.test(code)) return false;
  const onCpu = new Set([...code.matchAll(CPU)].map(([, name = '']) => name));
  const isKnown = (name: string): boolean => onCpu.has(name) || OF_TENSOR.test(name);
  const names = [...code.matchAll(DEVICE)].map(([name]) => name);
  if (names.some(name => name !== 'torch.device' && !isKnown(name))) return false;
  return [...code.matchAll(MOVES)].every(
    ([, to = '']) => AT_CPU.test(to) || isKnown(to.replace(/^device[ \t]{0,8}=[ \t]{0,8}/, '').trim()),
  );
}
