import assert from 'node:assert/strict';
import { Project } from '../../../src/core/python/project';
import { readNetwork } from '../../../src/core/network/read';
import type { NetworkReading } from '../../../src/core/network/read';
import type { NetworkFacts } from '../../../src/core/models/network';

const HEAD = `import copy, itertools, torch
from torch import nn, optim

class Small(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.layer = nn.Linear(10, width)

    def forward(self, x):
        return self.layer(x)

class Large(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(10, 100), nn.ReLU(), nn.Linear(100, 10))

    def forward(self, x):
        return self.layers(x)

`;
const SMALL = 110;
const LARGE = 10 * 100 + 100 + 100 * 10 + 10;

function reading(program: string): NetworkReading {
  const texts = new Map([['train.py', HEAD + program]]);
  const project = new Project('train.py', { texts, folders: new Map([['/', ['train.py']]]) });
  const wanted = { path: null, arguments: {}, library: null, config: {} };
  return readNetwork(project, wanted, { sides: null, channels: null, length: null });
}

function network(program: string): NetworkFacts {
  const found = reading(program);
  return found.ok ? found.network : assert.fail(found.why);
}

const LOOP = `for x, _ in loader:
    loss_d = D(x).mean() - D(G(x).detach()).mean()
    loss_d.backward(); opt_d.step()
    loss_g = D(G(x)).mean()
    loss_g.backward(); opt_g.step()
`;
const GAN = `G = Large()
D = Small()
opt_g = optim.Adam(G.parameters())
opt_d = optim.Adam(D.parameters())
`;
const frozenIn = ({ parts }: NetworkFacts): number =>
  parts.flatMap(({ frozen }) => frozen).reduce((sum, shape) => sum + shape.reduce((a, b) => a * b, 1), 0);

describe('networks that are trained together', () => {
  it('live at once: a generator and its discriminator', () => {
    const alone = network(GAN.replace('opt_d', 'opt') + 'for x in loader:\n    G(x).mean().backward()\n');
    assert.equal(alone.parameters, LARGE);
    const both = network(GAN + LOOP);
    assert.deepEqual([both.parameters, frozenIn(both)], [LARGE + SMALL, 0]);
    const kept = ({ parts }: NetworkFacts): number => parts.reduce((sum, part) => sum + part.kept.full, 0);
    // The layer of the smaller network keeps its input of 10 floats.
    assert.equal(kept(both) - kept(alone), 40);
  });

  it('make an image of noise, which the other one judges', () => {
    const dcgan = `class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.ConvTranspose2d(100, 64, 4, 1, 0, bias=False), nn.ReLU(True),
            nn.ConvTranspose2d(64, 3, 4, 2, 1, bias=False), nn.Tanh())

    def forward(self, z):
        return self.main(z)

class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.main = nn.Sequential(nn.Conv2d(3, 16, 4, 2, 1, bias=False), nn.Conv2d(16, 1, 4, 1, 0, bias=False))

    def forward(self, x):
        return self.main(x)

`;
    const made = dcgan + GAN.replace('Large', 'Generator').replace('Small', 'Discriminator') + LOOP;
    const found = network(made);
    const sizes = 100 * 64 * 16 + 64 * 3 * 16 + 3 * 16 * 16 + 16 * 16;
    assert.equal(found.parameters, sizes);
    assert.deepEqual(found.assumed, []);
    const products = found.parts.flatMap(({ work }) => work.products);
    const forward = products.reduce(
      (sum, { rows, inputs, outputs, times }) => sum + 2 * rows * inputs * outputs * times,
      0,
    );
    // Two FLOPs for each weight and pixel: of the input of what enlarges, and of the result of what shrinks. A step makes
    // images twice and judges three times.
    const [drawn, judged] = [100 * 64 * 16 + 16 * (64 * 3 * 16), 16 * (3 * 16 * 16) + 16 * 16];
    assert.equal(forward, 2 * (2 * drawn + 3 * judged));
  });

  it('are passed as often as the loop calls them', () => {
    const work = (program: string, repeats = ''): number[] => {
      const { parts } = network(GAN + program.replace('REPEATS', repeats));
      const flops = parts.map(({ work: { products } }) =>
        products.reduce(
          (sum, { rows, inputs, outputs, times }) => sum + 2 * rows * inputs * outputs * times,
          0,
        ),
      );
      // Its two layers, and the one of the other network.
      return flops.filter(count => count > 0);
    };
    const [large, small] = [2 * 10 * 100, 2 * 10 * 10];
    // G makes twice, D judges what is real, what is made, and again for G.
    assert.deepEqual(work(LOOP), [2 * large, 2 * large, 3 * small]);
    const shown =
      LOOP + '    if step % 100 == 0:\n        show(G(x))\n    with torch.no_grad():\n        G(x)\n';
    assert.deepEqual(work(shown), [2 * large, 2 * large, 3 * small]);
    const critic = `for x, _ in loader:
    for _ in range(REPEATS):
        loss = D(x).mean() - D(G(x)).mean()
        loss.backward(); opt_d.step()
    (-D(G(x)).mean()).backward()
    opt_g.step()
`;
    assert.deepEqual(work(critic, '5'), [6 * large, 6 * large, 11 * small]);
  });

  it('are found in functions, objects and one optimizer for both', () => {
    const body = (GAN + LOOP).trimEnd().replaceAll('\n', '\n    ');
    assert.equal(network(`def main():\n    ${body}\n\nmain()\n`).parameters, LARGE + SMALL);
    const one = `encoder, decoder = Large(), Small()
optimizer = optim.SGD(list(encoder.parameters()) + list(decoder.parameters()), lr=0.1)
train(encoder, decoder, optimizer)
`;
    assert.equal(network(one).parameters, LARGE + SMALL);
    const agent = `class Agent:
    def __init__(self):
        self.actor = Large()
        self.critic = Small()
        self.opt = optim.Adam(self.actor.parameters())
        self.opt2 = optim.Adam(self.critic.parameters())

    def learn(self):
        for x in self.memory.sample():
            self.critic(self.actor(x)).mean().backward()

Agent().learn()
`;
    assert.equal(network(agent).parameters, LARGE + SMALL);
  });

  it('have what no optimizer gets frozen: a copy for targets, a teacher', () => {
    const copied = `policy = Large()
target = copy.deepcopy(policy)
optimizer = optim.Adam(policy.parameters())
while True:
    loss = policy(x) - target(x)
    loss.backward()
`;
    const found = network(copied);
    assert.deepEqual([found.parameters, frozenIn(found)], [2 * LARGE, LARGE]);
    const taught = `teacher = Large()
student = Small()
optimizer = optim.Adam(student.parameters())
for x in loader:
    (student(x) - teacher(x)).mean().backward()
`;
    const small = network(taught);
    assert.deepEqual([small.parameters, frozenIn(small)], [LARGE + SMALL, LARGE]);
  });

  it('are not taken for one that could not be made and that the optimizer gets', () => {
    const flow = `class Flow(nn.Module):
    def __init__(self):
        super().__init__()
        raise NotImplementedError

`;
    const judged = `model = Flow()
judge = Large()
`;
    const optimizer = 'opt = optim.Adam(model.layers.parameters())\n';
    const found = reading(flow + judged + optimizer);
    assert.ok(!found.ok, 'the frozen network is no answer');
    // What no optimizer could get may still be what trains.
    const alone = reading(`${flow}${judged}step(judge)\n`);
    assert.equal(alone.ok && alone.network.parameters, LARGE);
    const known = reading(`${flow}${judged}${optimizer}other = optim.Adam(judge.parameters())\n`);
    assert.equal(known.ok && known.network.parameters, LARGE);
  });

  it('are not those that a program trains one after the other', () => {
    const apart = `first = Large()
second = Small()
opt_1 = optim.Adam(first.parameters())
opt_2 = optim.Adam(second.parameters())
for x in loader:
    first(x).mean().backward()
for x in loader:
    second(x).mean().backward()
`;
    assert.equal(network(apart).parameters, LARGE);
    const folds = `for fold in range(3):
    model = Large()
    optimizer = optim.Adam(model.parameters())
    train(model, optimizer)
`;
    assert.equal(network(folds).parameters, LARGE);
  });

  it('count each copy of a layer', () => {
    const clones = `class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        layer = Small()
        self.layers = nn.ModuleList([copy.deepcopy(layer) for _ in range(4)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x

model = Deep()
optimizer = optim.Adam(model.parameters())
`;
    assert.equal(network(clones).parameters, 4 * SMALL);
  });
});
