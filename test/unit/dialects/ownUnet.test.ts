import assert from 'node:assert/strict';
import { runOf } from './support';

const TRAINING =
  'train: {batch_size: 8, lr: 1.0e-4, epochs: 100, optimizer: adamw}\ndata: {image_size: 64}\n';
const DIFFUSERS = `${TRAINING}unet:
  sample_size: 64
  in_channels: 3
  out_channels: 3
  layers_per_block: 2
  block_out_channels: [128, 256, 512]
  down_block_types: [DownBlock2D, AttnDownBlock2D, AttnDownBlock2D]
`;
const LATENT = `${TRAINING}unet_config:
  image_size: 32
  in_channels: 4
  model_channels: 192
  channel_mult: [1, 2, 4]
  num_res_blocks: 2
  attention_resolutions: [2, 4]
  context_dim: 768
`;

const configOf = async (text: string): Promise<Readonly<Record<string, unknown>>> => {
  const { ownModel } = await runOf(text);
  return ownModel?.as === 'config.json' ? ownModel.config : {};
};

describe('a U-Net that a config describes', () => {
  it('is read in the words of diffusers', async () => {
    const config = await configOf(DIFFUSERS);
    assert.deepEqual(
      [config['block_out_channels'], config['layers_per_block'], config['in_channels']],
      [[128, 256, 512], 2, 3],
    );
    assert.deepEqual(config['transformer_layers_per_block'], [0, 1, 1]);
    assert.equal(config['image_size'], 64, 'pixels');
  });

  it('is read in those of latent-diffusion, whose sides are those of latents', async () => {
    const config = await configOf(LATENT);
    assert.deepEqual(config['block_out_channels'], [192, 384, 768]);
    assert.deepEqual(config['transformer_layers_per_block'], [0, 1, 1]);
    assert.deepEqual([config['cross_attention_dim'], config['image_size']], [768, 256]);
  });

  it('gets latents as large as the autoencoder makes them of the images', async () => {
    const encoded = `model:
  target: ldm.models.diffusion.ddpm.LatentDiffusion
  params:
    timesteps: 1000
    first_stage_config: {params: {embed_dim: 3}}
    unet_config:
      target: ldm.modules.diffusionmodules.openaimodel.UNetModel
      params: {image_size: 64, in_channels: 3, model_channels: 224, channel_mult: [1, 2], num_res_blocks: 2}
data: {target: main.DataModuleFromConfig, params: {batch_size: 4, train: {params: {size: 256}}}}
`;
    const config = await configOf(encoded);
    assert.deepEqual([config['vae_scale_factor'], config['image_size']], [4, 256]);
  });

  it('is none in the sections of an autoencoder, without layers, or where channels are no such numbers', async () => {
    for (const text of [
      LATENT.replace('unet_config', 'first_stage_config'),
      LATENT.replace(/ {2}num_res_blocks.*\n/, ''),
      LATENT.replace('192', '50'),
      `${LATENT}other: {channel_mult: [1, 2]}\n`,
    ]) {
      assert.equal((await configOf(text))['block_out_channels'], undefined, text);
    }
  });
});
