import assert from 'node:assert/strict';
import { runOf } from './support';

const RECIPE = (model: string, rest = ''): string => `recipe: TrainFinetuneRecipeForNextTokenPrediction
step_scheduler: {global_batch_size: 64, local_batch_size: 4}
dist_env: {backend: nccl}
model: ${model}
distributed: {strategy: fsdp2}
dataset: {_target_: nemo_automodel.components.datasets.llm.hellaswag.HellaSwag, seq_length: 1024}
packed_sequence: {packed_sequence_size: 0}
${rest}`;

const PRETRAINED = `{_target_: nemo_automodel.NeMoAutoModelForCausalLM.from_pretrained, pretrained_model_name_or_path: Qwen/Qwen3-0.6B}`;
const optimizer = (settings: string): string => `optimizer: {_target_: flashoptim.FlashAdamW${settings}}\n`;

describe('NeMo Automodel', () => {
  it('takes a config class of transformers, called with sizes, for the model', async () => {
    const run = await runOf(
      RECIPE(`
  _target_: nemo_automodel.NeMoAutoModelForCausalLM.from_config
  config:
    _target_: transformers.models.qwen3_moe.configuration_qwen3_moe.Qwen3MoeConfig
    hidden_size: 2048
    num_hidden_layers: 2
    num_experts: 4`),
    );
    assert.deepEqual(run.ownModel?.as === 'config.json' && run.ownModel.config, {
      _target_: 'transformers.models.qwen3_moe.configuration_qwen3_moe.Qwen3MoeConfig',
      hidden_size: 2048,
      num_hidden_layers: 2,
      num_experts: 4,
      model_type: 'qwen3_moe',
    });
    const { value, origin } = run.quantities.loadDtype;
    assert.deepEqual([value, origin.kind], ['bf16', 'default'], 'from_config makes bfloat16 of `auto`');
  });

  it('takes no class of another project’s, nor one without sizes', async () => {
    for (const target of ['my.models.Config', 'transformers.models.qwen3.configuration_qwen3.Qwen3Config']) {
      const run = await runOf(RECIPE(`{config: {_target_: ${target}, hidden_size: 2048}}`));
      assert.equal(run.ownModel, undefined, target);
    }
  });

  it('tells optimizers with masters of 24 and of 32 bits apart', async () => {
    const named = async (settings: string): Promise<string | null> =>
      (await runOf(RECIPE(PRETRAINED, optimizer(settings)))).quantities.optimizer.value;
    assert.equal(await named(''), 'flashoptim.FlashAdamW');
    assert.equal(await named(', master_weight_bits: 24'), 'flashoptim.FlashAdamW');
    assert.equal(await named(', master_weight_bits: 32'), 'flash_adamw_32bit');
  });

  it('reads checkpointing where older recipes have it, too', async () => {
    const run = await runOf(RECIPE(PRETRAINED, 'parallelizer: {activation_checkpointing: true}\n'));
    assert.equal(run.quantities.gradientCheckpointing.value, true);
  });
});
