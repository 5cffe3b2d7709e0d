import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { CatalogError, Catalogs } from '../../../src/world/catalogs';
import type { Environment } from '../../../src/world/environment';
import { huggingFaceCacheFolder } from '../../../src/world/huggingFaceCache';
import { Models } from '../../../src/world/models';
import { NodeFiles } from '../../../src/world/nodeFiles';

const catalogs = new Catalogs('src/core/data');

const llama = {
  model_type: 'llama',
  vocab_size: 1003,
  hidden_size: 96,
  intermediate_size: 200,
  num_hidden_layers: 3,
  num_attention_heads: 6,
};

describe('world: models', () => {
  let folder: string;
  let models: Models;
  let environment: Environment;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'headroom-models-')).replaceAll('\\', '/');
    environment = {
      variables: { HEADROOM_CACHE: `${folder}/own` },
      home: `${folder}/home`,
      workingFolder: folder,
    };
    models = new Models(new NodeFiles(`${folder}/work`), catalogs, environment);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(path: string, content: unknown): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  /** The layout of huggingface_hub: snapshots link to blobs. */
  function download(id: string, config: unknown, revision = 'c0ffee'): void {
    const repo = `home/.cache/huggingface/hub/models--${id.replaceAll('/', '--')}`;
    write(`${repo}/blobs/1234`, config);
    mkdirSync(join(folder, repo, 'snapshots', revision), { recursive: true });
    symlinkSync('../../blobs/1234', join(folder, repo, 'snapshots', revision, 'config.json'));
    write(`${repo}/refs/main`, revision);
  }

  const layersOf = async (name: string, from = `${folder}/work/run.yaml`) =>
    (await models.find(name, from)).model?.layers ?? null;

  it('lets a known model stand in for an unknown one, as a file of the workspace says', async () => {
    write('work/.headroom/models/own.yaml', 'model: acme/own-7b\nlike: Qwen/Qwen2.5-7B\n');
    const { model } = await models.find('acme/own-7b', `${folder}/work/run.yaml`);
    assert.deepEqual([model?.id, model?.sameAs, model?.source], ['acme/own-7b', 'Qwen/Qwen2.5-7B', 'user']);
    assert.equal(model?.layers, 28);
    download('acme/own-7b', llama);
    assert.equal(await layersOf('acme/own-7b'), 3);
    rmSync(join(folder, 'home'), { recursive: true });
    write('work/.headroom/models/own.yaml', 'model: acme/own-7b\nlike: acme/none\n');
    const { model: none, why } = await models.find('acme/own-7b', `${folder}/work/run.yaml`);
    assert.equal(none, null);
    assert.match(why ?? '', /own\.yaml: acme\/none isn't in the catalog/);
  });

  it('finds what Headroom downloaded, after the Hugging Face cache and before what is only called alike', async () => {
    const find = async (name: string) => (await models.find(name, `${folder}/work/run.yaml`)).model;
    assert.equal((await find('acme/Qwen2.5-7B'))?.source, 'name');
    write('own/hub/models--acme--Qwen2.5-7B/config.json', llama);
    const downloaded = await find('acme/Qwen2.5-7B');
    assert.deepEqual([downloaded?.source, downloaded?.layers], ['download', 3]);
    download('acme/Qwen2.5-7B', { ...llama, num_hidden_layers: 5 });
    const cached = await find('acme/Qwen2.5-7B');
    assert.deepEqual([cached?.source, cached?.layers], ['hugging-face-cache', 5]);
  });

  it('follows an adapter or a card to the base model, in the caches, too', async () => {
    write('own/hub/models--acme--adapter/adapter_config.json', {
      base_model_name_or_path: 'Qwen/Qwen2.5-7B',
    });
    assert.equal(await layersOf('acme/adapter'), 28);
    for (const [name, card] of [
      ['plain', 'base_model: Qwen/Qwen2.5-7B'],
      ['quoted', 'license: mit\nbase_model: "Qwen/Qwen2.5-7B"'],
      ['listed', 'base_model:\n- Qwen/Qwen2.5-7B\n- acme/other'],
    ] as const) {
      write(`work/${name}/README.md`, `---\n${card}\n---\n# A fine-tune\n`);
      assert.equal(await layersOf(`./${name}`), 28, name);
    }
    write('work/none/README.md', '# base_model: Qwen/Qwen2.5-7B\n');
    write('work/round/README.md', '---\nbase_model: acme/round\n---\n');
    assert.equal(await layersOf('./none'), null);
    assert.equal(await layersOf('./round'), null);
  });

  it('takes a folder for the known model whose very name it has, and says so', async () => {
    const find = async (name: string) => (await models.find(name, `${folder}/work/run.yaml`)).model;
    const model = await find('~/models/Qwen2.5-7B');
    assert.deepEqual(
      [model?.id, model?.sameAs, model?.source],
      ['~/models/Qwen2.5-7B', 'Qwen/Qwen2.5-7B', 'name'],
    );
    assert.equal((await find('/out/Qwen2.5-7B/checkpoint-500'))?.sameAs, 'Qwen/Qwen2.5-7B');
    assert.equal((await find('/out/my-Qwen2.5-7B'))?.sameAs, 'Qwen/Qwen2.5-7B');
    const instruct = await find('out/qwen2_5_7b_instruct_math/final');
    assert.equal(instruct?.sameAs, 'Qwen/Qwen2.5-7B-Instruct', 'the longest name that it has');
    assert.equal((await find('runs/llama3-8b.sft/checkpoint-20/'))?.sameAs, 'meta-llama/Meta-Llama-3-8B');
    assert.equal(await find('/out/qwen2.5-7b-into-qwen2.5-1.5b'), null, 'two models');
    assert.equal(await find('/out/my-Qwen2.5-7B-pruned'), null, 'other sizes');
    assert.equal(await find('/out/my-qwen'), null, 'no size');
    assert.equal(await find('./models/final'), null);
    write('work/models/Qwen2.5-7B/config.json', llama);
    assert.equal(await layersOf('./models/Qwen2.5-7B'), 3);
  });

  it('proposes models of the size in the name, those of the same family first', async () => {
    const similar = await models.similar('acme/qwen-custom-7b');
    assert.ok(similar[0]?.isOfSize && /qwen/i.test(similar[0].id), similar[0]?.id);
    assert.ok(similar.some(({ id, isOfSize }) => isOfSize && /llama/i.test(id)));
    assert.ok(similar.every(({ parameters }) => parameters > 0));
    const nameless = await models.similar('acme/custom');
    assert.ok(nameless.length > 100 && !nameless.some(({ isOfSize }) => isOfSize));
  });

  it('finds a folder beside the config that names it, before one in the workspace', async () => {
    write('work/out/config.json', { ...llama, num_hidden_layers: 5 });
    write('work/deep/out/config.json', { ...llama, num_hidden_layers: 7 });
    assert.equal(await layersOf('out'), 5);
    assert.equal(await layersOf('./out/', `${folder}/work/deep/run.yaml`), 7);
    assert.equal(await layersOf('out', `${folder}/work/other/run.yaml`), 5);
    assert.equal(await layersOf(`${folder}/work/deep/out`), 7);
    assert.equal(await layersOf('out/config.json'), 5);
    const { model, dependencies } = await models.find('out', `${folder}/work/deep/run.yaml`);
    assert.equal(model?.source, 'config.json');
    assert.deepEqual(dependencies, [`${folder}/work/deep/out/config.json`]);
  });

  it('takes what the workspace says of a model that nobody knows, and says what is wrong with it', async () => {
    write('work/.headroom/models/a.yaml', 'model: ours/net\nmeasured: [{ batch: 8, memory: 3 GB }]\n');
    const { model, dependencies } = await models.find('ours/net', `${folder}/work/run.yaml`);
    assert.equal(model?.described?.measured[0]?.bytes, 3 * 2 ** 30);
    assert.ok(dependencies.includes('.headroom/models/a.yaml'));
    write('work/.headroom/models/b.yaml', 'model: other\n');
    const { why } = await models.find('other', `${folder}/work/run.yaml`);
    assert.match(why ?? '', /\.headroom\/models\/b\.yaml: measured, components or like/);
  });

  it('counts a checkpoint of a family without a rule by its headers', async () => {
    const header = JSON.stringify({ w: { dtype: 'BF16', shape: [7, 11], data_offsets: [0, 154] } });
    const length = new Uint8Array(8);
    new DataView(length.buffer).setBigUint64(0, BigInt(header.length), true);
    write('work/tower/config.json', { model_type: 'llava', text_config: llama });
    write('work/tower/model.safetensors', `${String.fromCharCode(...length)}${header}`);
    const { model } = await models.find('tower', `${folder}/work/run.yaml`);
    assert.equal(model?.publishedTotal, 77);
  });

  it('finds a path under the home folder', async () => {
    write('home/models/mine/config.json', llama);
    assert.equal(await layersOf('~/models/mine'), 3);
  });

  it('takes the base model of an adapter folder', async () => {
    write('work/adapter/adapter_config.json', { base_model_name_or_path: 'meta-llama/Llama-2-7b-hf' });
    assert.equal(await layersOf('adapter'), 32);
    write('work/circle/adapter_config.json', { base_model_name_or_path: 'circle' });
    assert.equal(await layersOf('circle'), null);
    write('work/odd/adapter_config.json', 'null');
    assert.equal(await layersOf('odd'), null);
  });

  it('prefers a local folder to the cache and the cache to the catalog', async () => {
    const id = 'meta-llama/Llama-2-7b-hf';
    assert.equal((await models.find(id, 'run.yaml')).model?.source, 'catalog');
    download(id, { ...llama, num_hidden_layers: 5 });
    const cached = await models.find(id, 'run.yaml');
    assert.deepEqual([cached.model?.source, cached.model?.layers], ['hugging-face-cache', 5]);
    write(`work/${id}/config.json`, llama);
    assert.deepEqual(await layersOf(id), 3);
  });

  it('follows refs/main, whatever the case of the id, and does not leave the cache', async () => {
    download('Nobody/Nothing-1b', llama, 'aaaa');
    download('nobody/moved', { ...llama, num_hidden_layers: 9 }, 'bbbb');
    assert.equal(await layersOf('nobody/nothing-1B'), 3);
    write('home/.cache/huggingface/hub/models--nobody--moved/refs/main', '../../../../../evil');
    write('evil/config.json', { ...llama, num_hidden_layers: 11 });
    assert.equal(await layersOf('nobody/moved'), 9);
    for (const name of ['../../evil', 'nobody/../evil', '..', 'a/b/c']) {
      assert.equal(await layersOf(name, 'run.yaml'), null, name);
    }
  });

  it('falls back to the catalog when a config cannot be used, and else says what is wrong', async () => {
    write('work/broken/config.json', '{ "model_type": ');
    write('work/strange/config.json', { model_type: 'mystery' });
    mkdirSync(join(folder, 'work/folder/config.json'), { recursive: true });
    write('work/large/config.json', ' '.repeat(17 * 1024 * 1024));
    const why = async (name: string) => (await models.find(name, 'run.yaml')).why ?? '';
    assert.match(await why('broken'), /broken\/config\.json: config\.json is not a JSON object/);
    assert.match(await why('strange'), /model type mystery is not known/);
    assert.match(await why('folder'), /config\.json is a folder/);
    assert.match(await why('large'), /too large/);
    const cache = `${folder}/home/.cache/huggingface/hub`;
    assert.equal(
      await why('nobody/unheard-of'),
      `Not in the catalog, the Hugging Face cache (${cache}) or next to this config.`,
    );
    assert.equal(await why('./out/mine'), 'Not in the catalog, not at out/mine/config.json.');
    assert.notEqual(await why(''), '');
    download('google-t5/t5-small', { model_type: 'mystery' });
    assert.equal((await models.find('google-t5/t5-small', 'run.yaml')).model?.source, 'catalog');
  });

  it('waits for what is not there yet: the folder, and the file that a download writes first', async () => {
    const { dependencies } = await models.find('nobody/unheard-of', 'run.yaml');
    assert.deepEqual(dependencies, [
      'nobody/unheard-of/config.json',
      `${folder}/home/.cache/huggingface/hub/models--nobody--unheard-of/refs/main`,
      `${folder}/own/hub/models--nobody--unheard-of/config.json`,
    ]);
  });

  it('gives shapes it cannot count the total that the catalog has for the same model', async () => {
    const config = { model_type: 'llava', text_config: { model_type: 'llama', vocab_size: 32064 } };
    download('llava-hf/llava-1.5-7b-hf', config);
    const { model } = await models.find('llava-hf/llava-1.5-7b-hf', 'run.yaml');
    assert.equal(model?.source, 'hugging-face-cache');
    assert.equal(model.parameters, null);
    assert.equal(model.publishedTotal, 7063427072);
  });

  it('says so when its own catalog is gone', async () => {
    const broken = new Models(new NodeFiles(folder), new Catalogs(folder), environment);
    await assert.rejects(broken.find('gpt2', 'run.yaml'), CatalogError);
  });
});

describe('world: the Hugging Face cache', () => {
  const cache = (variables: Environment['variables']) =>
    huggingFaceCacheFolder({ variables, home: '/home/ada', workingFolder: '/' });

  it('lies where huggingface_hub puts it', () => {
    assert.equal(cache({}), '/home/ada/.cache/huggingface/hub');
    assert.equal(cache({ XDG_CACHE_HOME: '/x' }), '/x/huggingface/hub');
    assert.equal(cache({ XDG_CACHE_HOME: '/x', HF_HOME: '~/hf' }), '/home/ada/hf/hub');
    assert.equal(cache({ HF_HOME: '/hf', HUGGINGFACE_HUB_CACHE: '/old' }), '/old');
    assert.equal(cache({ HUGGINGFACE_HUB_CACHE: '/old', HF_HUB_CACHE: '/new' }), '/new');
    assert.equal(cache({ HF_HUB_CACHE: '', HF_HOME: ' ' }), '/home/ada/.cache/huggingface/hub');
  });
});
