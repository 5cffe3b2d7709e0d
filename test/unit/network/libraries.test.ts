import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { NetworkArguments } from '../../../src/core/models/network';
import { readNetwork } from '../../../src/core/network/read';
import { Project } from '../../../src/core/python/project';

interface Case {
  readonly path: string;
  readonly arguments: NetworkArguments;
  readonly shape: readonly number[];
  /** Of segmentation_models_pytorch 0.6.0, MONAI 1.6.1, torchvision 0.29.2 and timm 1.0.31 with torch 2.15, with what their CPU pass saves for backward. */
  readonly parameters: number;
  readonly saved: number;
}

const cases = JSON.parse(readFileSync('test/fixtures/network/libraries.json', 'utf8')) as readonly Case[];

function reading({ path, arguments: given, shape }: Omit<Case, 'parameters' | 'saved'>) {
  const folders = new Map<string, readonly string[]>([['project/', ['config.yaml']]]);
  const project = new Project('project/config.yaml', { texts: new Map(), folders });
  const facts = { sides: shape.slice(2), channels: null, length: null };
  return readNetwork(project, { path, arguments: given, library: null, config: {} }, facts);
}

const PLAIN = { type: 'FCNHead', concat_input: false };

const openmmlab = (model: NetworkArguments, sides: readonly number[]) =>
  reading({ path: 'openmmlab.build', arguments: { model }, shape: [1, 3, ...sides] });

/** Stochastic depth, other kernels of SiLU and ReLU6, and copies of normalized keys keep more. */
const ROUGHLY = /efficientnet|mobilenet|swin_v2/;

describe('networks of libraries', () => {
  for (const one of cases) {
    const name = `${one.path.split('.').at(-1) ?? ''} ${JSON.stringify(one.arguments)}`;
    it(`counts ${name} as the library does`, () => {
      const found = reading(one);
      assert.ok(found.ok, found.ok ? '' : found.why);
      assert.equal(found.network.parameters, one.parameters);
      const kept =
        found.network.parts.reduce((sum, { kept: { full } }) => sum + full, 0) * (one.shape[0] ?? 1);
      const most = ROUGHLY.test(JSON.stringify(one)) ? 0.25 : 0.05;
      assert.ok(Math.abs(kept / one.saved - 1) < most, `${kept} of ${one.saved}`);
    });
  }

  // Parameters on torchvision's own pages of models.
  for (const [name, parameters] of [
    ['resnet18', 11_689_512],
    ['wide_resnet50_2', 68_883_240],
    ['alexnet', 61_100_840],
    ['mobilenet_v2', 3_504_872],
    ['mobilenet_v3_small', 2_542_856],
    ['efficientnet_b4', 19_341_616],
    ['swin_v2_b', 87_930_848],
  ] as const) {
    it(`counts torchvision's ${name} as its page does`, () => {
      const found = reading({ path: `torchvision.models.${name}`, arguments: {}, shape: [1, 3, 224, 224] });
      assert.ok(found.ok, found.ok ? '' : found.why);
      assert.equal(found.network.parameters, parameters);
    });
  }

  for (const [type, millions] of [
    ['FCNHead', 49.5],
    ['PSPHead', 49],
    ['ASPPHead', 68.1],
    ['DepthwiseSeparableASPPHead', 43.6],
    ['UPerHead', 66.4],
  ] as const) {
    it(`counts mmsegmentation's ${type} over a ResNet as its users do`, () => {
      const strides = type === 'UPerHead' ? [1, 2, 2, 2] : [1, 2, 1, 1];
      const backbone = { type: 'ResNetV1c', depth: 50, strides };
      const several = type === 'UPerHead' ? { in_index: [0, 1, 2, 3] } : { in_index: 3 };
      const low = type === 'DepthwiseSeparableASPPHead' ? { c1_channels: 48 } : {};
      const decode_head = { type, channels: 512, num_classes: 19, ...several, ...low };
      const auxiliary_head = { ...PLAIN, channels: 256, num_convs: 1, in_index: 2, num_classes: 19 };
      const found = openmmlab({ type: 'EncoderDecoder', backbone, decode_head, auxiliary_head }, [512, 1024]);
      assert.ok(found.ok, found.ok ? '' : found.why);
      assert.ok(Math.abs(found.network.parameters / 1e6 - millions) < 0.2, `${found.network.parameters}`);
    });
  }

  it("counts mmsegmentation's U-Net as its users do", () => {
    const head = { ...PLAIN, channels: 64, num_convs: 1, num_classes: 2 };
    const found = openmmlab(
      {
        type: 'EncoderDecoder',
        backbone: { type: 'UNet', base_channels: 64 },
        decode_head: { ...head, in_index: 4 },
        auxiliary_head: { ...head, in_index: 3 },
      },
      [256, 256],
    );
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.ok(Math.abs(found.network.parameters / 1e6 - 29.06) < 0.02, `${found.network.parameters}`);
  });

  it("counts mmpretrain's Swin with its own window as timm does", () => {
    const backbone = {
      type: 'SwinTransformer',
      arch: 'large',
      stage_cfgs: { block_cfgs: { window_size: 12 } },
    };
    const head = { type: 'LinearClsHead', num_classes: 200 };
    const neck = { type: 'GlobalAveragePooling' };
    const found = openmmlab({ type: 'ImageClassifier', backbone, neck, head }, [384, 384]);
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.parameters, 195_505_916);
  });

  it("makes no network of an option that OpenMMLab's description has not", () => {
    const backbone = { type: 'ResNet', depth: 50, dcn: { type: 'DCNv2' } };
    const decode_head = { ...PLAIN, channels: 512, num_classes: 2, in_index: 3 };
    assert.ok(!openmmlab({ type: 'EncoderDecoder', backbone, decode_head }, [64, 64]).ok);
    const { dcn: _, ...plain } = backbone;
    assert.ok(openmmlab({ type: 'EncoderDecoder', backbone: plain, decode_head }, [64, 64]).ok);
  });

  it('says nothing of what a library has and no description', () => {
    const found = reading({ path: 'monai.networks.nets.Unheard', arguments: {}, shape: [1, 1, 8, 8] });
    assert.ok(!found.ok);
  });
});
