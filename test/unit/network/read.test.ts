import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import type { NetworkArguments } from '../../../src/core/models/network';
import { readNetwork } from '../../../src/core/network/read';
import type { NetworkReading } from '../../../src/core/network/read';
import { Project } from '../../../src/core/python/project';

const FOLDER = 'test/fixtures/network';

interface Case {
  readonly name: string;
  readonly arguments: NetworkArguments;
  readonly shape: readonly number[];
  /** Counted by torch 2.15, with the bytes of the storages that its CPU pass saves for backward. */
  readonly parameters: number;
  readonly saved: number;
}

const cases = JSON.parse(readFileSync(`${FOLDER}/truth.json`, 'utf8')) as readonly Case[];
const networks = readFileSync(`${FOLDER}/nets.py`, 'utf8');

/** The network of a class in a project with these files beside the config. */
function reading(
  files: Readonly<Record<string, string>>,
  path: string | null,
  given: NetworkArguments,
  shape: readonly number[] = [],
  config: NetworkArguments = {},
  opened = 'config.yaml',
): NetworkReading {
  const folders = new Map<string, readonly string[]>([['project/', Object.keys(files)]]);
  const texts = new Map<string, string | null>(
    Object.entries(files).map(([name, text]) => [`project/${name}`, text]),
  );
  const project = new Project(`project/${opened}`, { texts, folders });
  const [, second = null] = shape;
  return readNetwork(
    project,
    { path, arguments: given, library: null, config },
    {
      sides: shape.length > 3 ? shape.slice(2) : null,
      channels: null,
      length: shape.length === 3 ? (shape[2] === 1000 ? 1000 : second) : null,
    },
  );
}

const keptOf = (found: NetworkReading): number =>
  found.ok ? found.network.parts.reduce((sum, { kept }) => sum + kept.full, 0) : 0;

/** torch's CPU kernels keep other tensors for these: masks of dropout as numbers, gates of LSTMs, attention in parts. */
const OTHER_KERNELS = new Set(['LSTMTagger', 'TransformerClassifier', 'TCN', 'Denoiser']);

describe('a network read from its code', () => {
  for (const { name, arguments: given, shape, parameters, saved } of cases) {
    it(`counts ${name} as torch does`, () => {
      const found = reading({ 'nets.py': networks }, `nets.${name}`, given, shape);
      assert.ok(found.ok, found.ok ? '' : found.why);
      assert.equal(found.network.parameters, parameters);
      if (OTHER_KERNELS.has(name)) return;
      const kept = keptOf(found) * (shape[0] ?? 1);
      assert.ok(Math.abs(kept / saved - 1) < 0.02, `${kept} of ${saved}`);
    });
  }

  it('keeps half as much under autocast where products are all', () => {
    const found = reading({ 'nets.py': networks }, 'nets.UNet', {}, [2, 3, 128, 128]);
    assert.ok(found.ok);
    const mixed = found.network.parts.reduce((sum, { kept }) => sum + kept.mixed, 0);
    const share = mixed / keptOf(found);
    assert.ok(share > 0.45 && share < 0.6, String(share));
  });

  it('finds the network that a program makes of its config', () => {
    const program = [
      'import argparse',
      'import yaml',
      'from nets import UNet',
      'def main(args):',
      '    with open(args.config) as file:',
      '        config = yaml.safe_load(file)',
      '    data = load_everything(config["data"])',
      '    model = UNet(in_channels=config["model"]["channels"], features=config["model"]["features"])',
      '    model.to("cuda")',
      '    loss.backward()',
      'if __name__ == "__main__":',
      '    main(argparse.ArgumentParser().parse_args())',
    ].join('\n');
    const config = { model: { channels: 1, features: [16, 32] }, image_size: 64 };
    const found = reading({ 'nets.py': networks, 'train.py': program }, null, {}, [], config);
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.name, 'UNet');
    assert.equal(found.network.inputs, 64 * 64);
    assert.deepEqual(found.network.assumed, []);
  });

  it('finds the one that a program makes by a name in its config, if one is given', () => {
    const program = [
      'import argparse, json',
      'import nets as module_arch',
      'def get_instance(module, name, config, *args):',
      "    return getattr(module, config[name]['type'])(*args, **config[name]['args'])",
      'def main(config):',
      "    model = get_instance(module_arch, 'arch', config)",
      '    loss.backward()',
      'if __name__ == "__main__":',
      '    args = argparse.ArgumentParser().parse_args()',
      '    if args.config:',
      '        config = json.load(open(args.config))',
      '    else:',
      '        raise AssertionError()',
      '    main(config)',
    ].join('\n');
    const config = { arch: { type: 'UNet', args: { in_channels: 1, features: [16, 32] } }, image_size: 64 };
    const found = reading({ 'nets.py': networks, 'train.py': program }, null, {}, [], config);
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.name, 'UNet');
  });

  it('finds a class that a config names without its module, if there is one of this name', () => {
    const net = 'import torch.nn as nn\nclass Net(nn.Linear):\n    pass\n';
    const own = 'import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self, width):\n';
    const body =
      '        super().__init__()\n        self.fc = nn.Linear(width, 2)\n    def forward(self, x):\n        return self.fc(x)\n';
    const found = reading({ 'net.py': own + body }, 'Net', { width: 8 });
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.parameters, 18);
    assert.ok(!reading({ 'net.py': own + body, 'other.py': net }, 'Net', { width: 8 }).ok);
    assert.ok(!reading({ 'net.py': own + body }, 'Nets', { width: 8 }).ok);
  });

  it('starts a program that names the config, whatever trains in another file', () => {
    const program = `
import hydra
import torch.nn as nn

class Experiment(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.model = nn.Linear(config.width, 4)
    def forward(self, x):
        return self.model(x)

@hydra.main(config_path=".", config_name="config")
def main(config):
    Experiment(config).go()

if __name__ == "__main__":
    main()
`;
    const found = reading({ 'main.py': program }, null, {}, [], { width: 3 });
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.parameters, 16);
  });

  it('replaces the head of a backbone by the size of its old one, and keeps nothing of frozen layers', () => {
    const program = `
import timm
import torch.nn as nn
from torchvision import models

class Net(nn.Module):
    def __init__(self, freezes):
        super().__init__()
        self.body = models.resnet18(weights=None)
        if freezes:
            for one in self.body.parameters():
                one.requires_grad = False
        self.body.fc = nn.Linear(self.body.fc.in_features, 3)
    def forward(self, x):
        return self.body(x)

class Trunk(nn.Module):
    def __init__(self, name):
        super().__init__()
        self.body = timm.create_model(name, pretrained=True, num_classes=0)
        self.head = nn.Linear(self.body.num_features, 3)
    def forward(self, x):
        return self.head(self.body(x))
`;
    const of = (path: string, given: NetworkArguments) =>
      reading({ 'net.py': program }, path, given, [2, 3, 64, 64]);
    const [whole, frozen] = [of('net.Net', { freezes: false }), of('net.Net', { freezes: true })];
    assert.ok(whole.ok && frozen.ok);
    assert.equal(whole.network.parameters, 11_178_051);
    assert.ok(keptOf(frozen) < keptOf(whole) / 10, `${keptOf(frozen)} of ${keptOf(whole)}`);
    const trunk = of('net.Trunk', { name: 'swin_tiny_patch4_window7_224' });
    assert.ok(trunk.ok, trunk.ok ? '' : trunk.why);
    const other = of('net.Trunk', { name: 'tiny_unheard_224' });
    assert.ok(!other.ok);
    assert.deepEqual(other.named, ['tiny_unheard_224']);
  });

  it('reads the network of a program that has no config, with the options of its command', () => {
    const program = [
      'import argparse',
      'from torchvision import datasets, transforms',
      'from nets import UNet',
      'def main():',
      '    parser = argparse.ArgumentParser()',
      "    parser.add_argument('--base-width', '-w', type=int, default=8)",
      "    parser.add_argument('--amp', action='store_true')",
      '    args = parser.parse_args()',
      '    steps = [transforms.Resize(300), transforms.RandomCrop(128), transforms.ToTensor()]',
      "    data = datasets.ImageFolder('images', transforms.Compose(steps))",
      '    net = UNet(features=[args.base_width, 2 * args.base_width])',
      '    for epoch in range(100_000):',
      '        loss = net(data[0]).sum()',
      '        loss.backward()',
      'main()',
      '',
    ].join('\n');
    const found = (config: NetworkArguments) =>
      reading({ 'train.py': program, 'nets.py': networks }, null, {}, [], config, 'train.py');
    const [narrow, wide] = [found({}), found({ '--base-width': 16 })];
    assert.ok(narrow.ok && wide.ok, narrow.ok ? '' : narrow.why);
    assert.ok(wide.network.parameters > 3 * narrow.network.parameters);
    assert.equal(narrow.network.inputs, 3 * 128 * 128, 'as it crops what it trains on');
  });

  it('reads layers behind each other, and what the program’s own names say of a sample', () => {
    const program = [
      'import torch.nn as nn',
      'BLOCK_SIZE = 40',
      'model = nn.Sequential(nn.Embedding(100, 16), nn.Linear(16, 100)).cuda()',
      '',
    ].join('\n');
    const found = reading({ 'train.py': program }, null, {}, [], {}, 'train.py');
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.equal(found.network.parameters, 100 * 16 + 16 * 100 + 100);
    assert.equal(found.network.inputs, 40);
    assert.deepEqual(found.network.assumed, []);
  });

  it('takes names that every object has for what a program says', () => {
    const program = [
      'import argparse',
      'from nets import UNet',
      '__proto__ = 640',
      'parser = argparse.ArgumentParser()',
      "parser.add_argument('--x', action='constructor')",
      'args = parser.parse_args()',
      'net = UNet(features=[8, 16] if args.x is None else [64, 128])',
      '',
    ].join('\n');
    const found = reading({ 'train.py': program, 'nets.py': networks }, null, {}, [], {}, 'train.py');
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.ok(found.network.parameters < 100_000, String(found.network.parameters));
  });

  it('leaves open what only the program gives a class', () => {
    const text = `${networks}\nclass Lit(UNet):\n    def __init__(self, optimizer, in_channels):\n        super().__init__(in_channels)\n        self.optimizer = optimizer\n`;
    const found = reading({ 'nets.py': text }, 'nets.Lit', { in_channels: 3 }, [2, 3, 64, 64]);
    assert.ok(found.ok, found.ok ? '' : found.why);
  });

  it('finds the size that a linear layer takes, where no key tells one', () => {
    const text = `${networks}\nclass Flat(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.Flatten(), nn.Linear(8 * 32 * 32, 10))\n    def forward(self, x):\n        return self.body(x)\n`;
    const found = reading({ 'nets.py': text }, 'nets.Flat', {});
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.match(found.network.assumed.join(), /64 × 64 pixels, which its layers take/);
  });

  it('says what it assumed of a sample', () => {
    const found = reading({ 'nets.py': networks }, 'nets.UNet', {});
    assert.ok(found.ok);
    assert.match(found.network.assumed.join(), /224 × 224/);
  });

  it('counts frozen parameters apart', () => {
    const frozen = `${networks}\nclass Frozen(Small):\n    def __init__(self):\n        super().__init__()\n        for p in self.conv1.parameters():\n            p.requires_grad = False\n        self.conv2.requires_grad_(False)\n`;
    const found = reading({ 'nets.py': frozen }, 'nets.Frozen', {}, [2, 3, 32, 32]);
    assert.ok(found.ok, found.ok ? '' : found.why);
    assert.ok(found.network.parts.some(part => part.frozen.length > 0));
  });

  it('gives no network where the code does something else', () => {
    for (const body of [
      '        self.layer = build_somehow()',
      '        raise ValueError()',
      '        self.x = 1',
    ]) {
      const text = `from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n${body}\n    def forward(self, x):\n        return self.layer(x)\n`;
      const found = reading({ 'nets.py': text }, 'nets.Net', {});
      assert.equal(found.ok, false);
    }
  });

  it('ends for programs without an end', () => {
    for (const body of [
      'while True: pass',
      'def f(): return f()\nf()',
      'x = [0] * 10 ** 12',
      'for i in range(10 ** 12): pass',
      'x = [1]\nfor i in x: x.append(i)',
    ]) {
      assert.equal(reading({ 'nets.py': `${body}\n` }, 'nets.Net', {}).ok, false);
    }
  });

  it('never throws, whatever is cut out of a program', () => {
    fc.assert(
      fc.property(fc.nat(networks.length), fc.nat(400), (at, length) => {
        const text = networks.slice(0, at) + networks.slice(at + length);
        reading({ 'nets.py': text }, 'nets.Small', {}, [2, 3, 32, 32]);
      }),
      { numRuns: 25 },
    );
  });
});
