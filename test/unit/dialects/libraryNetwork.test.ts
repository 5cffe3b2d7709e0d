import assert from 'node:assert/strict';
import { libraryNetwork } from '../../../src/core/dialects/generic/libraryNetwork';
import { analyzed } from '../editor/runs';

describe('networks of libraries in configs', () => {
  it('are taken by their class, wherever it stands', () => {
    const net = { _target_: 'monai.networks.nets.SegResNet', init_filters: 16 };
    assert.deepEqual(libraryNetwork({ model: { _target_: 'src.Module', net } }), {
      path: 'monai.SegResNet',
      arguments: { init_filters: 16 },
    });
    const given = { class_path: 'smp.Unet', init_args: { classes: 3 } };
    assert.deepEqual(libraryNetwork({ model: given }), {
      path: 'segmentation_models_pytorch.Unet',
      arguments: { classes: 3 },
    });
  });

  it('are taken by the words of segmentation_models_pytorch, with what people call its arguments', () => {
    const model = { name: 'DeepLabV3+', encoder: { name: 'resnet50' }, num_classes: 4, in_channels: 1 };
    assert.deepEqual(libraryNetwork({ model }), {
      path: 'segmentation_models_pytorch.DeepLabV3Plus',
      arguments: { encoder_name: 'resnet50', in_channels: 1, classes: 4 },
    });
    assert.equal(libraryNetwork({ model: { name: 'unet', in_channels: 3 } }), null);
    assert.equal(libraryNetwork({ model: { name: 'classifier', encoder: 'resnet50' } }), null);
  });

  it("are taken by MONAI's channels and strides", () => {
    const model = {
      name: 'UNet',
      spatial_dims: 3,
      in_channels: 1,
      out_channels: 2,
      channels: [8, 16],
      strides: [2],
    };
    const { name: _, ...given } = model;
    assert.deepEqual(libraryNetwork({ model }), { path: 'monai.UNet', arguments: given });
    assert.equal(libraryNetwork({ model: { ...model, name: 'autoencoder' } }), null);
  });

  it('are counted with nothing but the config', async () => {
    const config = `model: {arch: Unet, encoder_name: resnet34, in_channels: 3, classes: 5}
data: {batch_size: 8, image_size: 256, num_workers: 4}
optimizer: adam
lr: 0.0001
epochs: 50
`;
    const { analysis } = await analyzed('/ws/a.yaml', { '/ws/a.yaml': config });
    // segmentation_models_pytorch 0.6.0 has as many.
    assert.equal(analysis.runs[0]?.model?.publishedTotal, 24_436_949);
  });
});
