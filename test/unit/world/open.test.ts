import assert from 'node:assert/strict';
import { analyzeFile } from '../../../src/editor/fileAnalysis';
import { openWorld } from '../../../src/world/open';
import { NEVER, worldOf } from '../editor/runs';

const CONFIG = `model: {_target_: nets.Small, width: 8}
trainer: {accelerator: gpu, devices: 1, max_epochs: 2}
optimizer: {_target_: torch.optim.AdamW, lr: 0.001}
batch_size: 4
image_size: 32
defaults: [_self_]
`;
const NETWORK = `import torch.nn as nn

class Small(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, width, 3), nn.ReLU(), nn.Conv2d(width, 3, 3))

    def forward(self, x):
        return self.layers(x)
`;

describe("the editor's world", () => {
  it('reads a network of the project again only after an edit of its code', async () => {
    const texts = { 'ws/a.yaml': CONFIG, 'ws/nets.py': NETWORK };
    const { files } = worldOf(texts);
    const world = openWorld(files, 'src/core/data', () => 'ws', '0');
    const sizes = async (text: string) => {
      const request = { file: 'ws/a.yaml', text, options: { target: null, severities: {} } };
      const [run] = (await analyzeFile(request, world, NEVER)).analysis.runs;
      return run?.model?.publishedTotal;
    };
    const stored = () => [...(world.networks?.stored.values() ?? [])].map(({ reading }) => reading);
    assert.equal(await sizes(CONFIG), 3 * 8 * 9 + 8 + 8 * 3 * 9 + 3);
    const [first, ...others] = stored();
    assert.ok(first?.ok);
    assert.deepEqual(others, []);
    await sizes(CONFIG);
    assert.ok(stored()[0] === first, 'read again without an edit');
    texts['ws/nets.py'] = NETWORK.replace('Conv2d(width, 3, 3)', 'Conv2d(width, 3, 5)');
    assert.equal(await sizes(CONFIG), 3 * 8 * 9 + 8 + 8 * 3 * 25 + 3);
  });
});
