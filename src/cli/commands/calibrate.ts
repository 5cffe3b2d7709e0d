import { join } from 'node:path';
import type { GpuFacts } from '../../core/hardware/gpu';
import type { MeasuredRates } from '../../core/hardware/measuredRates';
import { json as asJson, terminal } from '../../core/text/terminal';
import { JobError } from '../../jobs/engine';
import { CalibrationReader, calibrationRequest } from '../../profile/calibration';
import type { Calibrated } from '../../profile/calibration';
import { ProfileError } from '../../profile/answers';
import { keepRates, measurementsFor } from '../../world/measurements';
import { openJobsHere } from '../jobs/open';
import type { JobsOptions } from '../jobs/open';
import { placeOf } from '../jobs/place';
import type { PlaceChoice } from '../jobs/place';
import { detectHere } from '../machine';
import { BadInput, terminalOutput } from '../output';
import type { Output, OutputOptions } from '../output';
import { interruption } from '../profile/dry';
import { deviceFile, probeRequestOf, runProbe, whyNoAnswer } from '../profile/probeJob';
import { stage } from '../profile/stage';
import { Session } from '../session';

interface CalibrateOptions extends OutputOptions, PlaceChoice, JobsOptions {
  readonly keep: boolean;
  readonly user?: boolean;
  readonly python?: string;
  readonly queue?: boolean;
  readonly time?: number;
  readonly json?: boolean;
}

/** Rates of one calibration that differ more than this show that something else uses the GPU. */
const STEADY = 0.7;

/** `headroom calibrate`: what a GPU reaches in products and copies; times are computed with it from then on. */
export async function calibrate(options: CalibrateOptions): Promise<void> {
  const output = terminalOutput(options);
  const found = await measure(options, output);
  if (found.steady < STEADY) {
    throw new BadInput('The GPU was not steady: something else uses it. Calibrate again when it is idle.');
  }
  const gpu = (await new Session().world.gpuNamed?.(found.gpu))?.gpu ?? null;
  const { flops, bytesPerSecond } = found;
  const rates: MeasuredRates = {
    schema: 'headroom-rates/1',
    ...{ at: new Date().toISOString(), gpu: gpu?.name ?? found.gpu, flops, bytesPerSecond },
  };
  const keptFor = options.keep ? (options.user === true ? 'user' : 'workspace') : 'nobody';
  const file = await measurementsFor(join(process.cwd(), 'config'), process.cwd(), keptFor);
  if (file !== null) await keepRates(file, rates);
  if (options.json === true) output.out(asJson(rates, 2));
  else output.out(ratesText(rates, gpu));
  if (file !== null) output.err(`Stored in ${file}.`);
}

async function measure(options: CalibrateOptions, output: Output): Promise<Calibrated> {
  const device = deviceFile();
  const isLocal = placeOf(options).engine === 'local';
  if (isLocal && device === null && (await detectHere()).devices.length === 0) {
    throw new BadInput(
      'A calibration needs a GPU, and this machine has none. Choose another with --host, --slurm or --ray.',
    );
  }
  const signal = interruption();
  const jobs = openJobsHere(options);
  try {
    const request = (): object => calibrationRequest(device === null ? null : 'device.py');
    const staged = await stage({ code: null, device, request });
    const progress = (text: string): void => output.err(`${text} …`);
    const reader = new CalibrationReader(progress);
    const job = {
      stage: staged,
      reader,
      progress,
      queue: options.queue === true,
      request: await probeRequestOf('calibration', staged, process.cwd(), options),
    };
    const record = await runProbe(jobs, job, signal);
    if (reader.problem) throw reader.problem;
    if (reader.found) return reader.found;
    throw new BadInput(whyNoAnswer(record, 'calibration'));
  } catch (error) {
    if (!(error instanceof ProfileError) && !(error instanceof JobError)) throw error;
    throw new BadInput(error.message);
  } finally {
    signal.dispose();
    jobs.dispose();
  }
}

/** What was measured, beside what is published. */
function ratesText({ gpu: name, flops, bytesPerSecond }: MeasuredRates, gpu: GpuFacts | null) {
  const tera = (rate: number): string => (rate / 1e12).toPrecision(3);
  const of = (measured: number, published: number | null | undefined): string =>
    published ? ` (${Math.round((100 * measured) / published)} % of the published rate)` : '';
  const half = `${tera(flops.half)} TFLOP/s in 16 bits${of(flops.half / 1e12, gpu?.rates?.half)}`;
  const fp32 = `${tera(flops.fp32)} in fp32${of(flops.fp32 / 1e12, gpu?.rates?.fp32)}`;
  const copied = `${Math.round(bytesPerSecond / 1e9)} GB/s of memory${of(bytesPerSecond / 1e9, gpu?.bandwidthGBs)}`;
  return terminal`${gpu?.label ?? name}: ${half}, ${fp32}, ${copied}.`;
}
