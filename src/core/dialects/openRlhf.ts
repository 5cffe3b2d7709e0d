import { builtIn } from './defined/compile';
import file from './openRlhf.yaml';
import type { Dialect } from './dialect';
import { accumulationFromGlobal } from './engine/common';
import { ARGV, ARGV_TEXT } from '../yaml/node';
import {
  attention,
  checkpointing,
  completionTokens,
  devices,
  engineShare,
  loadDtype,
  lora,
  method,
  microBatch,
  model,
  nodes,
  offload,
  optimizer,
  parallel,
  precision,
  quantization,
  referenceModel,
  seqLen,
  stage,
  task,
} from './openRlhf/rules';
import { openRlhfWriters } from './openRlhf/writers';
import { switchedOn } from './shared/switches';
import { sequencesPerSample } from './shared/tasks';
import { datasetsBy, templateBy } from './shared/datasets';
import type { RunReader } from './engine/runReader';

const CLI = 'openrlhf/cli';

/** openrlhf/datasets/sft_dataset.py: without apply_chat_template a text of its own stands around the prompt. */
const promptOf = (run: RunReader, section: string): string | null =>
  run.flag(`${section}apply_chat_template`) === true
    ? templateBy(`${section}tokenizer_chat_template`)(run)
    : 'input_template';

/** OpenRLHF has no files of its own: its arguments on a command line are the config, dotted since 0.10 and with underscores
 * before. Sources are files of OpenRLHF/OpenRLHF 3c3be62 (0.11.0). */
export const openRlhf: Dialect = builtIn(file, {
  accepts: ({ tag }) => tag === ARGV || tag === ARGV_TEXT,
  quantities: {
    model,
    task,
    method,
    microBatchSize: microBatch,
    gradAccum: accumulationFromGlobal,
    seqLen,
    packing: switchedOn(['ds.packing_samples', 'packing_samples'], `${CLI}: packing_samples is off`),
    precision,
    precisionRaw: run => {
      const key = ['ds.param_dtype', 'param_dtype', 'bf16'].find(one => run.has(one));
      return key === undefined
        ? run.unknown('No precision is given.')
        : run.at(key, key === 'bf16' ? 'bf16' : run.word(key));
    },
    loadDtype,
    quantization,
    optimizer,
    gradientCheckpointing: checkpointing,
    attention,
    loss: run => {
      const liger = ['ds.use_liger_kernel', 'use_liger_kernel'].find(key => run.flag(key) === true);
      return liger === undefined
        ? run.byDefault('standard', `${CLI}: use_liger_kernel is off`)
        : run.at(liger, 'liger');
    },
    lora,
    zeroStage: stage,
    offload,
    parallel,
    devices,
    nodes,
  },
  details: {
    paddedRows: run =>
      run.derived(run.get('packing').value === false, ['packing'], 'packed rows have no padding'),
    adapterDtype: run =>
      run.get('lora').value === null
        ? run.none('no adapter is trained')
        : run.byDefault('fp32', 'peft: autocast_adapter_dtype is true'),
    kbitPrepare: run =>
      run.byCode('none', 'openrlhf/models/actor.py: norms are cast to bf16, nothing to fp32'),
    reentrantCheckpointing: switchedOn(
      ['model.gradient_checkpointing_reentrant', 'actor.gradient_checkpointing_reentrant'],
      `${CLI}: gradient_checkpointing_reentrant is off`,
    ),
    sequencesPerSample,
    referenceModel,
    completionTokens,
    memoryShare: engineShare,
  },
  writers: openRlhfWriters,
  datasets: datasetsBy(
    {
      path: 'data.dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, 'data.'),
      columns: { prompt: 'data.input_key', completion: 'data.output_key' },
    },
    {
      path: 'dataset',
      template: 'chat',
      ownTemplate: run => promptOf(run, ''),
      columns: { prompt: 'input_key', completion: 'output_key' },
    },
  ),
});
