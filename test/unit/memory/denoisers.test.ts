import assert from 'node:assert/strict';
import { judge } from '../core/support';
import { frameworkIdOf } from '../../../src/core/spec/frameworkId';
import { buildEncoder } from '../../../src/core/memory/blocks/autoencoder/encoder';
import { ModelBuilder } from '../../../src/core/memory/builder';
import { estimateRun } from '../../../src/core/memory/estimateRun';
import type { DeviceEstimate, EstimateResult } from '../../../src/core/memory/estimate';
import type { Phase } from '../../../src/core/memory/played';
import { assign } from '../../../src/core/memory/ops/inPlace';
import { Tape } from '../../../src/core/memory/tape';
import { pipelineModel } from '../../../src/core/models/pipelines';
import { estimatedAs } from '../../eval/accuracy/record';
import { fromSimulated } from '../../eval/accuracy/simulated';
import type { SimulatedRecord } from '../../eval/accuracy/simulated';
import { statedRun } from '../../eval/accuracy/stated';
import type { StatedDetails } from '../../eval/accuracy/stated';
import { costOf, fixture, memoryRun } from './support';

const GIB = 2 ** 30;

const PHASES: readonly (readonly [string, Phase, number])[] = [
  ['bwd_first', 'first backward', 0.011],
  ['fwd_steady', 'forward', 0.012],
  ['bwd_steady', 'backward', 0.011],
  ['opt_steady', 'optimizer step', 0.004],
];

function deviceIn(result: EstimateResult): DeviceEstimate {
  assert.ok(result.ok, result.ok ? '' : result.missing.join());
  const [device] = result.estimate.devices;
  assert.ok(device);
  return device;
}

describe('memory: denoisers against diffusers on fake tensors', () => {
  for (const record of fixture('denoisers') as SimulatedRecord[]) {
    it(`${record.id}: backward within 1.1 %, forward within 1.2 %`, () => {
      const { phases } = deviceIn(estimatedAs(fromSimulated(record)));
      for (const [name, phase, tolerance] of PHASES) {
        const measured = record.bytes[name] ?? 0;
        const bytes = phases.find(one => one.phase === phase)?.bytes ?? 0;
        assert.ok(Math.abs(bytes / measured - 1) <= tolerance, `${phase}: ${bytes}, measured ${measured}`);
      }
    });
  }
});

/** LoRA on CogVideoX-2b with a framework's script. */
function cogVideoX(framework: string, details: StatedDetails): DeviceEstimate {
  const run = statedRun(
    'cogvideox',
    { id: frameworkIdOf(framework), name: framework, version: null, libraries: {}, stated: true },
    {
      model: 'THUDM/CogVideoX-2b',
      task: 'denoising',
      method: 'lora',
      microBatchSize: 1,
      imageSize: [720, 480],
      precision: 'bf16',
      optimizer: 'adamw_torch',
      gradientCheckpointing: true,
      gradAccum: 1,
      gpus: 1,
      lora: {
        r: 16,
        alpha: 16,
        dropout: 0,
        targets: ['to_q', 'to_k', 'to_v', 'to_out.0'],
        modulesToSave: [],
        rslora: false,
        dora: false,
      },
    },
    { frames: 49, autocast: true, ...details },
  );
  return deviceIn(estimateRun(run, pipelineModel('THUDM/CogVideoX-2b'), null));
}

const bytesIn = ({ phases }: DeviceEstimate, wanted: Phase): number =>
  phases.find(({ phase }) => phase === wanted)?.bytes ?? 0;

/** T5-XXL's encoder and the autoencoder in 16 bits. */
const BESIDE = 2 * (4_762_310_656 + 215_583_907);

describe('memory: what a pipeline has beside its denoiser', () => {
  const never = cogVideoX('diffusers', { precomputed: true });

  it('stays on the device where texts and videos are encoded in the step', () => {
    const resident = cogVideoX('diffusers', { precomputed: false });
    const more = bytesIn(resident, 'backward') - bytesIn(never, 'backward');
    assert.ok(Math.abs(more - BESIDE) < 2 ** 20, `${more}`);
  });

  it('stays as far as the example script needs it in each step', async () => {
    const weightsOf = async (script: string): Promise<number> => {
      const words =
        '--pretrained_model_name_or_path=stabilityai/stable-diffusion-xl-base-1.0 --resolution=512';
      const command = `accelerate launch ${script} ${words} --train_batch_size=1 --mixed_precision=fp16`;
      const [run] = (await judge({ 'run.sh': `${command}\n` }, 'H100')).runs;
      return run?.estimate?.devices[0]?.terms.find(({ term }) => term === 'weights')?.bytes ?? 0;
    };
    const [inStep, imagesOnly] = [
      await weightsOf('train_text_to_image_lora_sdxl.py'),
      await weightsOf('train_dreambooth_lora_sdxl.py'),
    ];
    // The two text encoders, in fp16.
    assert.equal(inStep - imagesOnly, 2 * (123_060_480 + 694_659_840));
    // The autoencoder stays in fp32.
    assert.ok(imagesOnly > 4 * 83_653_863 + 2 * 2.56e9, `${imagesOnly}`);
  });

  it('comes back for the picture that a script makes of a validation prompt', async () => {
    const phases = async (more: string): Promise<ReadonlyMap<string, number>> => {
      const words =
        '--pretrained_model_name_or_path=stabilityai/stable-diffusion-xl-base-1.0 --resolution=512';
      const command = `accelerate launch train_dreambooth_lora_sdxl.py ${words} --train_batch_size=1 --mixed_precision=fp16`;
      const [run] = (await judge({ 'run.sh': `${command} ${more}\n` }, 'H100')).runs;
      return new Map(run?.estimate?.devices[0]?.phases.map(({ phase, bytes }) => [phase, bytes]));
    };
    const without = await phases('');
    const withPicture = await phases('--validation_prompt=x');
    assert.ok(!without.has('evaluation'));
    const more = (withPicture.get('evaluation') ?? 0) - (withPicture.get('save') ?? 0);
    // The text encoders return, and the decoder makes 1024 pixels a side whatever the training's size is.
    assert.ok(more > 1.6e9 + 3 * 128 * 1024 * 1024 * 4, `${more}`);
  });

  it('has an autoencoder that holds five maps of its first level at its peak', () => {
    // VQModel.encode of aMUSEd in fp32 on fake tensors: 8 images of 512 pixels a side take 5.0234375 GiB.
    const tape = new Tape();
    tape.ledger.muted = true;
    const maps = { batch: 8, channels: 3, height: 512, width: 512 };
    const builder = new ModelBuilder(tape, memoryRun({ weightDtype: 'fp32', frozen: true }));
    const encode = buildEncoder(builder, maps, { widths: [128, 256, 256, 512, 768], layers: 2, latents: 64 });
    tape.ledger.muted = false;
    const pixels = tape.keep(tape.empty(8 * 3 * 512 * 512, 'fp32'));
    tape.spend(encode(tape, pixels));
    const { bytes } = tape.ledger.takePeak();
    assert.ok(Math.abs(bytes / (5.0234375 * GIB) - 1) < 0.01, `${bytes / GIB}`);
  });
});

describe('memory: assignment to a part', () => {
  it('copies the gradient as a whole, and what was overwritten once more', () => {
    const cost = costOf((tape, x) => assign(tape, x, tape.empty(2048, 'bf16')));
    assert.deepEqual(cost, { result: 2 * 4096, kept: 0, backward: 2 * 4096 + 2 * 2 * 2048 });
  });
});
