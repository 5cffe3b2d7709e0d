import type { Quantity } from '../../spec/quantity';
import { count, number } from '../engine/readers';
import type { RunReader } from '../engine/runReader';

const ACTOR = 'actor_rollout_ref.actor';
const ROLLOUT = 'actor_rollout_ref.rollout';
const LEGACY = 'trainer/config/data/legacy_data.yaml';

/** sft_trainer.yaml and sft_trainer_engine.yaml have neither actor nor critic. */
export const isSft = (run: RunReader): boolean =>
  !run.has('actor_rollout_ref') && !run.has('algorithm') && !run.has('data.max_prompt_length');

const ESTIMATORS: Readonly<Record<string, string>> = {
  gae: 'ppo',
  grpo: 'grpo',
  grpo_passk: 'grpo',
  rloo: 'rloo',
  rloo_vectorized: 'rloo',
};

/** The estimator of advantages names the algorithm. */
export function task(run: RunReader): Quantity<string> {
  if (isSft(run)) return run.derived('sft', ['data'], 'trainer/fsdp_sft_trainer.py: no actor, no rollout');
  const key = 'algorithm.adv_estimator';
  const estimator = run.word(key);
  return estimator === null
    ? run.byDefault('ppo', 'trainer/config/ppo_trainer.yaml: adv_estimator is gae')
    : run.at(key, ESTIMATORS[estimator] ?? estimator);
}

/** Old names count over all GPUs and are on their way out (≤ 0.3). */
export function microBatchSize(run: RunReader): Quantity<number> {
  if (isSft(run)) {
    const key = 'data.micro_batch_size_per_gpu';
    if (run.flag('data.use_dynamic_bsz')) {
      return run.unknown('Rows are packed up to data.max_token_len_per_gpu tokens.');
    }
    return run.has(key) ? run.at(key, run.count(key)) : run.byDefault(4, 'trainer/config/sft_trainer.yaml');
  }
  const key = `${ACTOR}.ppo_micro_batch_size_per_gpu`;
  if (run.flag(`${ACTOR}.use_dynamic_bsz`)) {
    return run.unknown(`Rows are packed up to ${ACTOR}.ppo_max_token_len_per_gpu tokens.`);
  }
  if (run.has(key)) return run.at(key, run.count(key));
  const old = run.count(`${ACTOR}.ppo_micro_batch_size`);
  const gpus = run.get('gpus').value;
  if (old === null) return run.unknown(`${key} is null, and verl has no default for it.`);
  if (gpus === null || old % gpus !== 0) {
    return run.unknown(`${old} over all GPUs cannot be shared among them.`);
  }
  return run.derived(old / gpus, [`${ACTOR}.ppo_micro_batch_size`, 'gpus'], `${old} ÷ ${gpus} GPUs`);
}

/** Prompts of one step of the trainer; its optimizer steps more often. */
export function globalBatchSize(run: RunReader): Quantity<number> {
  const key = 'data.train_batch_size';
  if (run.has(key)) return run.inUnit('samples', run.at(key, run.count(key)));
  return isSft(run) ? run.byDefault(256, 'trainer/config/sft_trainer.yaml') : run.byDefault(1024, LEGACY);
}

const samplesPerPrompt = (run: RunReader): number => run.count(`${ROLLOUT}.n`) ?? 1;

/** Ranks that see samples of their own: those that share a sequence or layers do not. */
function dataRanks(run: RunReader): number | null {
  const gpus = run.get('gpus').value;
  const { tensor, context, pipeline } = run.get('parallel').value ?? { tensor: 1, context: 1, pipeline: 1 };
  return gpus === null ? null : gpus / (tensor * context * pipeline);
}

const miniBatch = (run: RunReader): number => run.count(`${ACTOR}.ppo_mini_batch_size`) ?? 256;

/** workers/fsdp_workers.py L241-260: prompts × completions ÷ ranks ÷ micro batch. */
export function gradAccum(run: RunReader): Quantity<number> {
  const micro = run.get('microBatchSize').value;
  const ranks = dataRanks(run);
  if (micro === null || ranks === null) {
    return run.unknown('Accumulation follows from the mini batch, the micro batch and the number of GPUs.');
  }
  const total = isSft(run) ? run.get('globalBatchSize').value : miniBatch(run) * samplesPerPrompt(run);
  if (total === null) return run.unknown('The batch is not known.');
  const steps = total / ranks / micro;
  const formula = `${total} ÷ ${ranks} ÷ ${micro}`;
  if (!Number.isInteger(steps)) return run.unknown(`${formula} is no whole number: verl refuses it.`);
  return run.derived(steps, ['microBatchSize', 'gpus'], formula);
}

export function effectiveBatch(run: RunReader): Quantity<number> {
  if (isSft(run)) {
    return run.derived(run.get('globalBatchSize').value, ['globalBatchSize'], 'the global batch');
  }
  const mini = miniBatch(run);
  const each = samplesPerPrompt(run);
  const keys = [`${ACTOR}.ppo_mini_batch_size`, `${ROLLOUT}.n`];
  return run.derived(mini * each, keys, `${mini} prompts × ${each} completions`);
}

const PROMPT = 'data.max_prompt_length';
const RESPONSE = 'data.max_response_length';

export function seqLen(run: RunReader): Quantity<number> {
  if (isSft(run)) {
    const key = 'data.max_length';
    return run.has(key)
      ? run.at(key, run.count(key))
      : run.byDefault(1024, 'trainer/config/sft_trainer.yaml');
  }
  const prompt = run.count(PROMPT) ?? 512;
  const response = run.count(RESPONSE) ?? 512;
  return run.derived(
    prompt + response,
    [PROMPT, RESPONSE],
    `${prompt} of the prompt + ${response} of the response`,
  );
}

export function completionTokens(run: RunReader): Quantity<number> {
  if (isSft(run)) return run.none('supervised training writes nothing');
  return run.has(RESPONSE) ? run.at(RESPONSE, run.count(RESPONSE)) : run.byDefault(512, LEGACY);
}

/** Rows without padding, one after the other. */
export function packing(run: RunReader): Quantity<boolean> {
  const keys = [
    'actor_rollout_ref.model.use_remove_padding',
    'use_remove_padding',
    'model.use_remove_padding',
  ];
  const key = keys.find(name => run.has(name));
  if (key !== undefined) return run.at(key, run.flag(key));
  return isSft(run)
    ? run.byDefault(false, 'trainer/config/sft_trainer.yaml: use_remove_padding is False')
    : run.byDefault(true, 'trainer/config/model/hf_model.yaml: use_remove_padding is True');
}

export function devices(run: RunReader): Quantity<number | 'auto'> {
  const key = 'trainer.n_gpus_per_node';
  if (run.has(key)) return run.at(key, run.read(key, count));
  return isSft(run)
    ? run.unknown('torchrun says how many GPUs there are.')
    : run.byDefault(8, 'trainer/config/ppo_trainer.yaml: n_gpus_per_node is 8');
}

/** Only a loss or a reward that compares with it loads the reference (trainer/ppo/utils.py L72-76). */
export function referenceModel(run: RunReader): Quantity<boolean> {
  const keys = [`${ACTOR}.use_kl_loss`, 'algorithm.use_kl_in_reward'];
  const asked = keys.find(key => run.flag(key));
  if (asked === undefined) return run.byDefault(false, 'trainer/ppo/utils.py L72-76: no KL');
  if (run.get('lora').value !== null) {
    return run.derived(false, [asked, 'lora'], 'the base without its adapters');
  }
  return run.at(asked, true);
}

/**
 * The engine holds its share while it writes. By default it gives the memory back before training (`free_cache_engine`),
 * and then the two never meet.
 */
export function memoryShare(run: RunReader): Quantity<number> {
  if (isSft(run)) return run.none('no engine writes');
  if (run.flag(`${ROLLOUT}.free_cache_engine`) !== false) {
    return run.none(
      'trainer/config/rollout/rollout.yaml: free_cache_engine gives the memory back before training',
    );
  }
  const key = `${ROLLOUT}.gpu_memory_utilization`;
  const share = run.read(key, number);
  return share === null
    ? run.byDefault(0.5, 'trainer/config/rollout/rollout.yaml: gpu_memory_utilization is 0.5')
    : run.at(key, share);
}
