import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { fileOf, lensesOf, until } from './ask';

/** The walkthrough's examples, as in windows of their own. */
const EXAMPLES = ['training-memory', 'embedding-batch', 'device-map', 'utilisation'];

const settings = () => vscode.workspace.getConfiguration('headroom');
const judgeBy = (gpu: string | undefined) => settings().update('target.gpu', gpu, false);
const wanting = (batch: string | undefined) => settings().update('optimize.effectiveBatch', batch, false);

async function textOf(path: string): Promise<string> {
  return new TextDecoder().decode(await vscode.workspace.fs.readFile(fileOf(path)));
}

async function open(path: string): Promise<vscode.Uri> {
  const uri = fileOf(path);
  await vscode.window.showTextDocument(uri);
  return uri;
}

/** Applies the first plan of the list and returns the resulting file; then undoes the plan. */
async function optimized(path: string): Promise<string> {
  const before = await textOf(path);
  const uri = await open(path);
  const optimizing = vscode.commands.executeCommand('headroom.optimize', uri, '');
  await until('a plan that is applied', async () => {
    await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
    return (await textOf(path)) !== before;
  });
  await optimizing;
  const after = await textOf(path);
  await vscode.commands.executeCommand('headroom.undoOptimization');
  assert.equal(await textOf(path), before);
  return after;
}

describe('the four guides', function guides() {
  this.timeout(60_000);
  const target = settings().get<string>('target.gpu');

  before(async () => {
    const extension = vscode.extensions.getExtension('gpu-headroom.gpu-headroom');
    assert.ok(extension);
    for (const name of EXAMPLES) {
      const source = vscode.Uri.joinPath(extension.extensionUri, 'media/walkthrough/examples', name);
      await vscode.workspace.fs.copy(source, fileOf(`guides/${name}`), { overwrite: true });
      // Models are described for the whole workspace.
      const models = vscode.Uri.joinPath(source, '.headroom/models');
      const described = await vscode.workspace.fs.readDirectory(models).then(
        entries => entries,
        () => [],
      );
      for (const [file] of described) {
        const place = fileOf(`.headroom/models/${file}`);
        await vscode.workspace.fs.copy(vscode.Uri.joinPath(models, file), place, { overwrite: true });
      }
    }
  });

  after(async () => {
    await judgeBy(target);
    await wanting(undefined);
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await vscode.workspace.fs.delete(fileOf('guides'), { recursive: true });
    await vscode.workspace.fs.delete(fileOf('.headroom/models'), { recursive: true });
  });

  // A plan uses a share of the memory that a program can get; the guide uses the advertised size: one sample less
  // on two cards.
  for (const [gpu, batch, steps] of [
    ['24 GB', 46, 5],
    ['32 GB', 63, 4],
    ['40 GB', 81, 3],
    ['80 GB', 128, 2],
  ] as const) {
    it(`training memory: ${gpu} take ${batch} × ${steps}`, async () => {
      await judgeBy(gpu);
      await wanting('225-256');
      const config = 'guides/training-memory/conf/config.yaml';
      await lensesOf(await open(config), new RegExp(`01_stage ≈ [\\d.]+ of ${gpu}`));
      const after = await optimized(config);
      assert.match(after, new RegExp(`batch_size: ${batch} #`));
      assert.match(after, new RegExp(`accumulate_grad_batches: ${steps} #`));
    });
  }

  it('embedding batch: it is tight on 16 GB and fits 24, 40 and 80 GB', async () => {
    await wanting(undefined);
    const config = 'guides/embedding-batch/arxiv_import.yaml';
    // The sample reads such configs with its own dialect file, which a window of the example does not have.
    const own = fileOf('.headroom/dialects/embedding-import.yaml');
    const dialect = await vscode.workspace.fs.readFile(own);
    await vscode.workspace.fs.delete(own);
    for (const [gpu, verdict] of [
      ['16 GB', 'tight'],
      ['24 GB', 'fits'],
      ['40 GB', 'fits'],
      ['80 GB', 'fits'],
    ] as const) {
      await judgeBy(gpu);
      await lensesOf(await open(config), new RegExp(`GB of ${gpu} · ${verdict}`));
    }
    await vscode.workspace.fs.writeFile(own, dialect);
  });

  it('device map: two GPUs share the model, a large one holds it, smaller ones offload a part', async () => {
    const config = 'guides/device-map/inference.yaml';
    for (const [gpu, count, need] of [
      ['24 GB', 2, /≈ 1\d\.\d GB of 24 GB · fits/],
      ['80 GB', null, /≈ 2\d\.\d GB of 80 GB · fits/],
      ['24 GB', null, /≈ 20\.\d GB of 24 GB · tight/],
      ['16 GB', null, /≈ 13\.\d GB of 16 GB · tight/],
    ] as const) {
      await judgeBy(gpu);
      await settings().update('target.gpuCount', count ?? undefined, false);
      await lensesOf(await open(config), need);
    }
    await settings().update('target.gpuCount', undefined, false);
  });

  it('utilization: it grows from 2.5 of 24 GB to a batch that uses the GPU', async () => {
    await judgeBy('24 GB');
    await wanting('8-64');
    const config = 'guides/utilisation/emberformer_small.yaml';
    await lensesOf(await open(config), /≈ 2\.5 GB of 24 GB · fits/);
    assert.match(await optimized(config), /batch_size: 64\n/);
  });
});
