import assert from 'node:assert/strict';
import { judge } from '../core/support';

const MODEL = 'Qwen/Qwen3-8B';

const manifest = (container: string): string =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llm}\nspec:\n  template:\n    spec:\n      containers:\n        - name: llm\n${container
    .split('\n')
    .map(line => `          ${line}\n`)
    .join('')}`;

const GPU = 'resources: {limits: {nvidia.com/gpu: 1}}';

interface Read {
  readonly model: unknown;
  readonly length: unknown;
  readonly share: unknown;
  readonly devices: unknown;
  readonly release: string | null;
}

/** The one run of the first of these files. */
async function read(files: Readonly<Record<string, string>>): Promise<Read> {
  const { runs } = await judge(files, null);
  assert.equal(runs.length, 1);
  const { quantities, details, framework } = runs[0]?.run ?? assert.fail();
  return {
    model: quantities.model.value,
    length: quantities.seqLen.value,
    share: details.memoryShare?.value,
    devices: quantities.devices.value,
    release: framework.version,
  };
}

describe('dialects: what lies around a manifest', () => {
  it('takes variables and a mounted config of a map that Kustomize generates', async () => {
    const generated = await read({
      'base/llm.yaml': manifest(
        `image: vllm/vllm-openai:v0.10.0\nenvFrom: [{configMapRef: {name: env}}]\ncommand: [vllm, serve, $(MODEL)]\nargs: [--max-model-len, $(LENGTH), --gpu-memory-utilization=0.8]\n${GPU}`,
      ),
      'base/kustomization.yaml': `resources: [llm.yaml]\nconfigMapGenerator:\n  - name: env\n    literals: [MODEL=${MODEL}]\n    envs: [llm.env]\n`,
      'base/llm.env': '# a comment\nLENGTH=12288\n',
    });
    assert.deepEqual(generated, { model: MODEL, length: 12_288, share: 0.8, devices: 1, release: '0.10.0' });

    const container = `image: vllm/vllm-openai:v0.10.0\nargs: [--config, /etc/vllm/config.yaml]\nvolumeMounts: [{name: c, mountPath: /etc/vllm}]\n${GPU}`;
    const mounted = `${manifest(container)}      volumes: [{name: c, configMap: {name: settings}}]\n`;
    const config = `model: ${MODEL}\nmax-model-len: 12288\ngpu-memory-utilization: 0.8\n`;
    const expected = { model: MODEL, length: 12_288, share: 0.8, devices: 1, release: '0.10.0' };
    const ofFile = await read({
      'llm.yaml': mounted,
      'kustomization.yaml': 'configMapGenerator: [{name: settings, files: [config.yaml=own.yaml]}]\n',
      'own.yaml': config,
    });
    assert.deepEqual(ofFile, expected);
    const block = config.replaceAll(/^(?=.)/gm, '    ');
    const ofMap = await read({
      'llm.yaml': mounted,
      'map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata:\n  config.yaml: |\n${block}`,
    });
    assert.deepEqual(ofMap, expected);
  });

  it('takes single keys of a config map', async () => {
    const key = 'valueFrom: {configMapKeyRef: {name: settings, key: llm-model}}';
    const found = await read({
      'llm.yaml': manifest(
        `image: vllm/vllm-openai:v0.10.0\nenv: [{name: MODEL, ${key}}]\nargs: [--model, $(MODEL)]\n${GPU}`,
      ),
      'map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\ndata: {llm-model: ${MODEL}}\n`,
    });
    assert.equal(found.model, MODEL);
  });

  it('starts the script that a config map mounts', async () => {
    const container = `image: own/server:1\ncommand: [bash, /scripts/serve.sh]\nenv: [{name: MODEL, value: ${MODEL}}]\nvolumeMounts: [{name: s, mountPath: /scripts}]\n${GPU}`;
    const pod = `${manifest(container)}      volumes: [{name: s, configMap: {name: scripts}}]\n`;
    const script = 'vllm serve "$MODEL" --max-model-len 12288 --gpu-memory-utilization 0.8';
    const ofMap = await read({
      'llm.yaml': pod,
      'map.yaml': `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: scripts}\ndata:\n  serve.sh: |\n    #!/bin/bash\n    ${script}\n`,
    });
    assert.deepEqual([ofMap.model, ofMap.length, ofMap.devices], [MODEL, 12_288, 1]);
    const ofFile = await read({
      'llm.yaml': pod,
      'kustomization.yaml': 'configMapGenerator: [{name: scripts, files: [serve.sh]}]\n',
      'serve.sh': `#!/bin/bash\n${script}\n`,
    });
    assert.deepEqual([ofFile.model, ofFile.length, ofFile.devices], [MODEL, 12_288, 1]);
  });

  it('reads a patch over the resource that it changes', async () => {
    const around = {
      'overlay/kustomization.yaml': 'resources: [../base]\npatches: [{path: patch.yaml}]\n',
      'base/kustomization.yaml': 'resources: [llm.yaml]\n',
      'base/llm.yaml': manifest(
        `image: vllm/vllm-openai:v0.9.1\nargs: [--model, a/small-1b, --max-model-len, "8192"]\n${GPU}`,
      ),
    };
    const words = `args: [--model, ${MODEL}, --gpu-memory-utilization=0.8]\nresources: {limits: {nvidia.com/gpu: 2}}`;
    const replaced = await read({ 'overlay/patch.yaml': manifest(words), ...around });
    // A list replaces that of the base.
    assert.deepEqual(replaced, { model: MODEL, length: null, share: 0.8, devices: 2, release: '0.9.1' });
    const image = 'image: vllm/vllm-openai:v0.10.2\nresources: {limits: {nvidia.com/gpu: 4}}';
    const kept = await read({ 'overlay/patch.yaml': manifest(image), ...around });
    assert.deepEqual([kept.model, kept.length, kept.devices], ['a/small-1b', 8192, 4]);
    assert.equal(kept.release, '0.10.2');
    // Alone, a patch says nothing of its image.
    const { runs } = await judge({ 'patch.yaml': manifest(words) }, null);
    assert.equal(runs.filter(({ run }) => run.quantities.model.value !== null).length, 0);
  });

  it('reads values over those of the chart that they lie beside', async () => {
    const chart = {
      'Chart.yaml': 'apiVersion: v2\nname: llm\nversion: 0.1.0\n',
      'values.yaml': `image: {repository: vllm/vllm-openai, tag: v0.8.5}\nmodel: {name: ${MODEL}}\nextraArgs: [--max-model-len, "8192", --max-num-seqs, "4"]\n${GPU}\n`,
    };
    const own = 'extraArgs: [--max-model-len, "32768", --gpu-memory-utilization, "0.95"]\n';
    const listed = await read({ 'envs/prod.yaml': own, ...chart });
    assert.deepEqual(listed, { model: MODEL, length: 32_768, share: 0.95, devices: 1, release: '0.8.5' });
    const { runs } = await judge({ 'prod.yaml': own, ...chart }, null);
    // A list replaces the chart's.
    assert.equal(runs[0]?.run.details.maxSequences?.value, null);
    const sections = {
      'Chart.yaml': chart['Chart.yaml'],
      'values.yaml': `image: {repository: vllm/vllm-openai, tag: v0.9.0}\nvllm: {model: a/small-1b, maxModelLen: 8192, gpuMemoryUtilization: 0.9}\n`,
    };
    const section = await read({
      'values-prod.yaml': `vllm: {model: ${MODEL}, tensorParallelSize: 4}\n`,
      ...sections,
    });
    assert.deepEqual(
      [section.model, section.length, section.share, section.release],
      [MODEL, 8192, 0.9, '0.9.0'],
    );
    // Without a chart, they stand for themselves.
    const alone = await judge({ 'prod.yaml': own, 'values.yaml': chart['values.yaml'] }, null);
    assert.equal(alone.runs[0]?.run.quantities.model.value, null);
  });
});
