import assert from 'node:assert/strict';
import { Project } from '../../../src/core/python/project';
import { readNetwork } from '../../../src/core/network/read';
import type { NetworkReading } from '../../../src/core/network/read';
import type { NetworkArguments } from '../../../src/core/models/network';

const HEAD = 'import argparse, json, os, yaml, torch\nfrom torch import nn\n';

/** A network of one layer, `width` × 10. */
const NET = `class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, 10)

    def forward(self, x):
        return self.layer(x)

`;

function reading(
  program: string,
  files: Readonly<Record<string, string>> = {},
  options: NetworkArguments = {},
): NetworkReading {
  const texts = new Map(Object.entries({ ...files, 'train.py': HEAD + program }));
  const folders = new Map<string, string[]>();
  for (const path of texts.keys()) {
    const parts = path.split('/');
    parts.forEach((part, at) => {
      const folder = `${parts.slice(0, at).join('/')}/`;
      folders.set(folder, [...new Set([...(folders.get(folder) ?? []), part])]);
    });
  }
  const project = new Project('train.py', { texts, folders });
  const wanted = { path: null, arguments: {}, library: null, config: options };
  return readNetwork(project, wanted, { sides: null, channels: null, length: null });
}

function parametersOf(...given: Parameters<typeof reading>): number {
  const found = reading(...given);
  return found.ok ? found.network.parameters : assert.fail(found.why);
}

describe('a started program', () => {
  it('hands its options on by name', () => {
    const program = `${NET}def train(width, epochs):
    model = Net(width)

parser = argparse.ArgumentParser()
parser.add_argument('--width', type=int, default=64)
parser.add_argument('--epochs', type=int, default=2)
train(**vars(parser.parse_args()))
`;
    assert.equal(parametersOf(program), 650);
  });

  it('converts the texts of its options, as argparse does', () => {
    const program = `${NET}parser = argparse.ArgumentParser()
parser.add_argument('--width', type=int, default='32')
model = Net(parser.parse_args().width // 2)
`;
    assert.equal(parametersOf(program), 170);
    assert.equal(parametersOf(program, {}, { width: '64' }), 330);
  });

  const CONFIG = { 'configs/net.yaml': 'model:\n  width: 48\n' };

  it('opens the config that it names', () => {
    const program = `${NET}with open('configs/net.yaml') as file:
    config = yaml.safe_load(file)
model = Net(config['model']['width'])
`;
    assert.equal(parametersOf(program, CONFIG), 490);
  });

  it('opens it at a path that it makes of its own', () => {
    const program = `from pathlib import Path
${NET}ROOT = Path(__file__).resolve().parent
with (ROOT / 'configs' / 'net.yaml').open() as file:
    config = yaml.safe_load(file)
model = Net(config['model']['width'])
`;
    assert.equal(parametersOf(program, CONFIG), 490);
    const joined = program.replace(
      "(ROOT / 'configs' / 'net.yaml').open()",
      "open(os.path.join(ROOT, 'configs/net.yaml'))",
    );
    assert.equal(parametersOf(joined, CONFIG), 490);
  });

  it('has no network where its config is not there', () => {
    const program = `${NET}config = yaml.safe_load(open('other.yaml'))
model = Net(config['model']['width'])
`;
    assert.ok(!reading(program, CONFIG).ok);
  });

  it('has no network of a program next to it', () => {
    const other = `${HEAD}${NET}config = yaml.safe_load(open('net.yaml'))\nmodel = Net(64)\noptimizer = torch.optim.Adam(model.parameters())\n`;
    assert.ok(!reading('print("trains elsewhere")\n', { 'train_other.py': other }).ok);
  });

  it('compares members of enumerations', () => {
    const program = `from enum import Enum
class Kind(Enum):
    SMALL = 'small'
    LARGE = 'large'
${NET}kind = Kind('large') if False else Kind.LARGE
if kind == Kind.SMALL:
    model = Net(16)
elif kind.value == 'large':
    model = Net(32)
`;
    assert.equal(parametersOf(program), 330);
  });

  it('goes on behind a loop whose end is not known', () => {
    const program = `${NET}def free():
    at = 0
    while True:
        if not os.path.exists(f'runs/{at}'):
            break
        at += 1
    return at

folder = free()
model = Net(64)
`;
    assert.equal(parametersOf(program), 650);
  });

  it('takes one step of a loop whose end is not known, and rows of data that never end', () => {
    const program = `${NET}def rows():
    while True:
        for at in range(4000):
            yield at

model = Net(64)
data = rows()
step = 0
while True:
    loss = model(next(data)).sum()
    for other in range(400):
        step += 1
    loss.backward()
head = Net(128)
`;
    assert.equal(parametersOf(program), 1290);
  });

  it('takes networks of a ModuleDict by their names, and layers of torch.nn by theirs', () => {
    const program = `class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleDict({'first': nn.Linear(64, 32), 'last': nn.__dict__['Linear'](32, 10)})

    def forward(self, x):
        return self.parts.last(self.parts.first(x))

model = Net()
`;
    assert.equal(parametersOf(program), 64 * 32 + 32 + 330);
  });

  it('counts tied weights once', () => {
    const program = `class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 16)
        self.head = nn.Linear(16, 100, bias=False)
        self.table.weight = self.head.weight

    def forward(self, ids):
        return self.head(self.table(ids))

model = Net()
`;
    assert.equal(parametersOf(program), 1600);
  });

  it('draws noise, measures distances and looks up rows', () => {
    const program = `import torch.nn.functional as F
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(64, 16)
        self.register_buffer('codes', torch.Tensor(32, 16))

    def forward(self, x):
        mean = self.layer(x)
        noise = torch.normal(0, 1, size=mean.shape)
        nearest = torch.argmin(torch.cdist((mean + noise).detach(), self.codes), dim=-1)
        counts = F.one_hot(nearest, 32).float()
        return mean + F.embedding(nearest, self.codes) * counts.sum(dim=-1, keepdim=True)

model = Net()
`;
    assert.equal(parametersOf(program), 64 * 16 + 16);
  });

  it('takes the length of a sequence from settings of its own', () => {
    const program = `from dataclasses import dataclass
@dataclass
class Training:
    block_size: int = 40

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 16)

    def forward(self, ids):
        return self.table(ids)

def main():
    settings = Training()
    model = Net()

main()
`;
    const found = reading(program);
    assert.ok(found.ok);
    assert.deepEqual(found.network.assumed, []);
    assert.equal(found.network.inputs, 40);
  });

  it('says what stopped a pass', () => {
    const program = `class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(64, 64)
        self.last = nn.Linear(64, 64)

    def forward(self, x):
        return torch.unheard_of(self.last(self.first(x)))

model = Net()
`;
    const found = reading(program);
    assert.ok(!found.ok);
    assert.equal(found.why, 'the pass of Net: unheard_of is not known');
  });
});
