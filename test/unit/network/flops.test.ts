import assert from 'node:assert/strict';
import { Project } from '../../../src/core/python/project';
import { readNetwork } from '../../../src/core/network/read';

const PROGRAM = `import torch
from torch import nn, optim
from torch.nn import functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, stride=2, padding=1)
        self.grouped = nn.Conv2d(16, 32, 3, padding=1)
        self.up = nn.ConvTranspose2d(32, 8, 2, stride=2)
        self.project = nn.Linear(8 * 4 * 4, 64)
        self.qkv = nn.Linear(64, 192)
        self.inner = nn.MultiheadAttention(64, 4, batch_first=True)
        self.head = nn.Linear(64, 10)
        self.table = nn.Parameter(torch.zeros(64, 32))

    def forward(self, x):
        x = self.up(F.relu(self.grouped(F.relu(self.first(x)))))
        b = x.shape[0]
        x = F.max_pool2d(x, 2).reshape(b, 8, 4, 4, 4, 4).permute(0, 2, 4, 1, 3, 5).reshape(b, 16, 128)
        x = self.project(x)
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        scores = (q @ k.transpose(-2, -1)).softmax(dim=-1)
        x = scores @ v
        x = x + self.inner(x, x, x, need_weights=False)[0]
        y = torch.einsum('bnd,de->bne', x, self.table)
        return self.head(x).mean() + y.mean()

model = Net()
optimizer = optim.SGD(model.parameters(), lr=0.1)
`;

describe('the work of a pass', () => {
  it('has the FLOPs that torch counts, forward and backward', () => {
    const project = new Project('train.py', { texts: new Map([['train.py', PROGRAM]]), folders: new Map() });
    const wanted = { path: null, arguments: {}, library: null, config: {} };
    const found = readNetwork(project, wanted, { sides: [32, 32], channels: 3, length: null });
    assert.ok(found.ok, found.ok ? '' : found.why);
    let [forward, backward] = [0, 0];
    for (const { work } of found.network.parts) {
      for (const { rows, inputs, outputs, groups, times, gradients } of work.products) {
        const flops = 2 * rows * inputs * outputs * groups * times;
        forward += flops;
        backward += flops * gradients;
      }
      forward += work.attention.forward;
      backward += work.attention.backward;
    }
    // torch 2.15, torch.utils.flop_counter.FlopCounterMode over the same program with two samples, halved.
    assert.deepEqual([forward, backward], [4_501_504, 8_814_592]);
  });
});
