import assert from 'node:assert/strict';
import { judge } from '../core/support';
import { pythonRuns } from '../../../src/core/reading/program/runs';
import { runOf } from './support';

const LOADED = `import torch
from diffusers import StableDiffusionXLPipeline
pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/stable-diffusion-xl-base-1.0", torch_dtype=torch.float16)
pipe.to("cuda")
`;

const estimateOf = async (text: string) => {
  const { runs } = await judge({ 'a.py': text }, 'A100 80GB PCIe');
  const estimate = runs[0]?.estimate;
  return estimate && 'devices' in estimate ? estimate : null;
};

describe('programs that make pictures with diffusers', () => {
  it('are read with what the pipeline is called with', async () => {
    const call = `image = pipe("a cat", height=768, width=1024, num_images_per_prompt=4, guidance_scale=0.0).images[0]\n`;
    const { dialect, quantities, details } = await runOf(LOADED + call, 'a.py');
    assert.deepEqual(
      [dialect, quantities.model.value, quantities.task.value, quantities.loadDtype.value],
      ['diffusers-pipeline', 'stabilityai/stable-diffusion-xl-base-1.0', 'infer', 'fp16'],
    );
    assert.deepEqual([quantities.microBatchSize.value, quantities.imageSize.value], [4, [1024, 768]]);
    assert.deepEqual([details.guidance?.value, details.defaultSize?.value], [false, false]);
  });

  it('count a list of prompts, and take the largest of several calls', async () => {
    const calls = `for p in prompts:\n    pipe(p)\npipe(["a", "b"] * 4, height=512, width=512)\n`;
    const { quantities, details } = await runOf(LOADED + calls, 'a.py');
    assert.equal(quantities.microBatchSize.value, 8);
    assert.deepEqual([quantities.imageSize.value, details.defaultSize?.value], [[512, 512], true]);
    const unknown = await runOf(`${LOADED}pipe(prompts)\n`, 'a.py');
    assert.equal(unknown.quantities.microBatchSize.value, null);
  });

  it('are read where methods of a class share the pipeline, with what waits on the host', async () => {
    const run = await runOf(
      `from diffusers import FluxPipeline
import torch
class Painter:
    def __init__(self):
        self.pipe = FluxPipeline.from_pretrained("black-forest-labs/FLUX.1-dev", torch_dtype=torch.bfloat16)
        self.pipe.enable_model_cpu_offload()
        self.pipe.vae.enable_tiling()
    def paint(self, prompt):
        return self.pipe(prompt, height=1024, width=1024).images[0]
`,
      'a.py',
    );
    assert.deepEqual(
      [run.quantities.model.value, run.details.partsOffloaded?.value, run.details.tiledDecoding?.value],
      ['black-forest-labs/FLUX.1-dev', 'model', true],
    );
  });

  it('have the dtype that they are cast to', async () => {
    const dtypeAfter = async (call: string) =>
      (await runOf(`${LOADED}${call}\npipe("a cat")\n`, 'a.py')).quantities.loadDtype.value;
    assert.equal(await dtypeAfter('pipe.to("cuda", torch.float32)'), 'fp32');
    assert.equal(await dtypeAfter('pipe.to(dtype=torch.bfloat16)'), 'bf16');
    assert.equal(await dtypeAfter('pipe.to(device)'), 'fp16');
  });

  it('are read from a single file of a repository', async () => {
    const file =
      'https://huggingface.co/stabilityai/stable-diffusion-xl-base-1.0/blob/main/sd_xl_base_1.0.safetensors';
    const text = LOADED.replace(/from_pretrained\("[^"]*"/, `from_single_file("${file}"`);
    const { quantities } = await runOf(`${text}pipe("a cat")\n`, 'a.py');
    assert.equal(quantities.model.value, 'stabilityai/stable-diffusion-xl-base-1.0');
    const given = text.replaceAll('XLPipeline', 'XLImg2ImgPipeline');
    assert.equal(await estimateOf(`${given}pipe("a cat", image=x)\n`), null);
  });

  it('keep two pipelines of one name apart', () => {
    const other = `pipe = StableDiffusionXLPipeline.from_pretrained("stabilityai/sdxl-turbo")\npipe("x", num_images_per_prompt=2)\n`;
    const runs = pythonRuns('a.py', `${LOADED}pipe("a cat", num_images_per_prompt=3)\n${other}`);
    assert.equal(runs.length, 2);
    const keys = runs.map(({ composition }) =>
      JSON.stringify(composition.layers[0].yaml.documents[0]?.root ?? null),
    );
    assert.notEqual(keys[0], keys[1]);
  });

  it('need all parts of the pipeline, unless these wait on the host', async () => {
    const call = 'pipe("a cat")\n';
    const whole = await estimateOf(LOADED + call);
    const waiting = await estimateOf(
      `${LOADED.replace('pipe.to("cuda")', 'pipe.enable_model_cpu_offload()')}${call}`,
    );
    const bytes = (estimate: typeof whole) => estimate?.devices[0]?.allocated.expected ?? 0;
    const GB = 2 ** 30;
    // 3.47 B parameters in fp16, and one picture to decode in fp32.
    assert.ok(bytes(whole) > 8 * GB && bytes(whole) < 13 * GB, String(bytes(whole) / GB));
    assert.ok(bytes(waiting) < bytes(whole) - 1.5 * GB, String(bytes(waiting) / GB));
    assert.equal(whole?.devices[0]?.peakPhase, 'decode');
  });

  // huggingface/blog, simple_sdxl_optimizations.md: max_memory_allocated on an A100, in GiB by the notebook's division.
  const FOUR = 'pipe("a dog", num_images_per_prompt=4)\n';

  it('take what was measured for four pictures of SDXL in fp16 and fp32', async () => {
    for (const [dtype, measured] of [
      ['torch.float16', 21.72],
      ['torch.float32', 28.09],
    ] as const) {
      const text = `${LOADED.replace('torch.float16', dtype)}${FOUR}`;
      const allocated = (await estimateOf(text))?.devices[0]?.allocated.expected ?? 0;
      assert.ok(Math.abs(allocated / 2 ** 30 / measured - 1) < 0.02, `${dtype}: ${allocated / 2 ** 30} GiB`);
    }
  });

  describe('with offload or slices', () => {
    const offloaded = LOADED.replace('pipe.to("cuda")', 'pipe.enable_model_cpu_offload()') + FOUR;
    const sliced = `${LOADED}pipe.enable_vae_slicing()\n${FOUR}`;

    it('may need what was measured, which is not explained', async () => {
      for (const [text, measured] of [
        [offloaded, 20.21],
        [sliced, 15.4],
      ] as const) {
        const { low, high } = (await estimateOf(text))?.devices[0]?.allocated ?? { low: 0, high: 0 };
        assert.ok(low < measured * 2 ** 30 && high > measured * 2 ** 30, `${low} to ${high}`);
      }
    });

    it('fit only where what was measured does', async () => {
      for (const text of [offloaded, sliced]) {
        for (const [gpu, fits] of [
          ['A100 40GB PCIe', true],
          ['RTX 4080', false],
        ] as const) {
          const { runs } = await judge({ 'a.py': text }, gpu);
          assert.equal(runs[0]?.estimate?.devices[0]?.verdict === 'fits', fits, gpu);
        }
      }
    });
  });

  it('decode tiles of the size that the autoencoder was made for', async () => {
    const bytes = async (lines: string, size: number) =>
      (await estimateOf(`${LOADED}${lines}pipe("a", height=${size}, width=${size})\n`))?.devices[0]?.allocated
        .expected;
    const tiled = 'pipe.enable_vae_tiling()\n';
    assert.equal(await bytes(tiled, 1024), await bytes('', 1024));
    assert.ok(((await bytes(tiled, 2048)) ?? 0) < ((await bytes('', 2048)) ?? 0) / 1.5);
  });

  it('have no number where a part is another one, the size is that of a picture, or layers move', async () => {
    const controlled = LOADED.replace('torch_dtype', 'controlnet=net, torch_dtype');
    const fromPicture = LOADED.replaceAll('StableDiffusionXLPipeline', 'AutoPipelineForImage2Image');
    const sequential = LOADED.replace('pipe.to("cuda")', 'pipe.enable_sequential_cpu_offload()');
    for (const text of [controlled, fromPicture, sequential]) {
      assert.equal(await estimateOf(`${text}pipe("a cat")\n`), null, text);
    }
  });

  it('are none where only the caller knows the model, or the program trains', () => {
    const helper = `from diffusers import DiffusionPipeline\ndef load(name):\n    return DiffusionPipeline.from_pretrained(name).to("cuda")\n`;
    assert.equal(pythonRuns('a.py', helper).length, 0);
    assert.equal(pythonRuns('a.py', `${LOADED}pipe("x")\nloss.backward()\n`).length, 0);
  });
});
