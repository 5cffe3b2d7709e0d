import type * as Ort from 'onnxruntime-node';
import { EmbedError } from '../errors';
import type { PackedBatch } from './batches';
import type { WorkerSetup } from './messages';
import { onnxruntime } from './natives';
import { finished, pooled } from './pool';
import { reasonOf } from '../../core/text/errors';

/** One vector per text of a batch. */
interface Vectors {
  readonly data: Float32Array<ArrayBuffer>;
  readonly size: number;
}

const KNOWN_INPUTS = new Set(['input_ids', 'attention_mask', 'token_type_ids', 'position_ids']);
const TOKEN_OUTPUTS = ['last_hidden_state', 'token_embeddings', 'hidden_states'];
const TEXT_OUTPUTS = ['sentence_embedding', 'sentence_embeddings'];

/** A loaded model on one thread: several threads in one session wait for the slowest. */
export class Session {
  private constructor(
    private readonly setup: WorkerSetup,
    private readonly native: Ort.InferenceSession,
    private readonly output: string,
  ) {}

  static async open(setup: WorkerSetup): Promise<Session> {
    const ort = onnxruntime();
    // Errors are thrown; onnxruntime would print them, too.
    ort.env.logLevel = 'fatal';
    const native = await create(ort, setup.onnx, {
      executionProviders: [setup.device],
      graphOptimizationLevel: 'all',
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      // Batches vary in shape: it would keep a plan for each, without a benefit.
      enableMemPattern: false,
    });
    const unrecognized = native.inputNames.filter(name => !KNOWN_INPUTS.has(name));
    if (unrecognized.length > 0) {
      throw new EmbedError(
        'bad-model',
        `${setup.onnx}: it has inputs that a text encoder lacks: ${unrecognized.join(', ')}. Export it for feature extraction (optimum-cli export onnx --task feature-extraction).`,
      );
    }
    return new Session(setup, native, outputOf(native, setup.onnx));
  }

  /** Components of a vector, if the model's file states it. */
  get dimensions(): number | null {
    const { dimensions } = this.setup;
    if (dimensions !== null) return dimensions;
    const metadata = this.native.outputMetadata.find(({ name }) => name === this.output);
    const last = metadata?.isTensor ? metadata.shape.at(-1) : undefined;
    if (typeof last !== 'number') return null;
    return metadata?.isTensor && metadata.shape.length === 3 ? last * this.setup.poolings.length : last;
  }

  async vectors(batch: PackedBatch): Promise<Vectors> {
    const results = await this.native.run(this.feeds(batch), [this.output]);
    const output = results[this.output];
    if (output?.type !== 'float32') {
      throw new EmbedError(
        'bad-model',
        `${this.setup.onnx}: ${this.output} is ${output?.type ?? 'missing'}, not float32; export it with outputs in single precision.`,
      );
    }
    const vectors = this.pooledOf(batch, output.data as Float32Array, output.dims);
    output.dispose();
    return vectors;
  }

  private pooledOf(batch: PackedBatch, data: Float32Array, dims: readonly number[]): Vectors {
    const { poolings, normalize, dimensions } = this.setup;
    const size = dims.at(-1) ?? 0;
    const isPooled = dims.length === 2;
    const whole = isPooled ? Float32Array.from(data) : pooled({ ...batch, data, size }, poolings);
    const full = isPooled ? size : size * poolings.length;
    const kept = dimensions ?? full;
    if (kept > full) {
      throw new EmbedError(
        'bad-model',
        `--dimensions ${kept}: the model's vectors have only ${full} components.`,
      );
    }
    return { data: finished(whole, full, kept, normalize), size: kept };
  }

  private feeds(batch: PackedBatch): Record<string, Ort.Tensor> {
    const { Tensor } = onnxruntime();
    const { rows, width, ids, lengths } = batch;
    const shape = [rows, width];
    const fill: Readonly<Record<string, (row: number, token: number) => number>> = {
      input_ids: (row, token) => ids[row * width + token] ?? 0,
      attention_mask: (row, token) => (token < (lengths[row] ?? 0) ? 1 : 0),
      position_ids: (_, token) => token,
    };
    const feeds: Record<string, Ort.Tensor> = {};
    for (const name of this.native.inputNames) {
      feeds[name] = new Tensor('int64', wholeNumbers(rows, width, fill[name]), shape);
    }
    return feeds;
  }
}

/** A file that onnxruntime cannot read is most often a pointer of Git LFS, or was cut. */
async function create(
  ort: typeof Ort,
  onnx: string,
  options: Ort.InferenceSession.SessionOptions,
): Promise<Ort.InferenceSession> {
  try {
    return await ort.InferenceSession.create(onnx, options);
  } catch (error) {
    const why = reasonOf(error);
    if (!/protobuf parsing failed/i.test(why)) throw error;
    throw new EmbedError(
      'bad-model',
      `${onnx}: this ONNX file is incomplete. Fetch it again (git lfs pull, or huggingface-cli download).`,
    );
  }
}

/** Writes 64-bit numbers by their low words: creating a BigInt per token would dominate the run time here. */
function wholeNumbers(
  rows: number,
  width: number,
  value: ((row: number, token: number) => number) | undefined,
): BigInt64Array {
  const numbers = new BigInt64Array(rows * width);
  if (!value) return numbers;
  const words = new Int32Array(numbers.buffer);
  for (let row = 0; row < rows; row++) {
    for (let token = 0; token < width; token++) words[2 * (row * width + token)] = value(row, token);
  }
  return numbers;
}

function outputOf({ outputNames }: Ort.InferenceSession, onnx: string): string {
  const named = [...TEXT_OUTPUTS, ...TOKEN_OUTPUTS].find(name => outputNames.includes(name));
  const output = named ?? (outputNames.length === 1 ? outputNames[0] : undefined);
  if (output !== undefined) return output;
  throw new EmbedError(
    'bad-model',
    `${onnx}: no output holds vectors. It has ${outputNames.join(', ')}; Headroom takes sentence_embedding, last_hidden_state or token_embeddings.`,
  );
}
