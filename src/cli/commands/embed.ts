import { json } from '../../core/text/terminal';
import { join } from 'node:path';
import type { Embedding } from '../../embed/chunk';
import type { EmbedModel } from '../../embed/folder/modelFolder';
import type { EmbedOrder, EmbedResult, EmbedWatch, StartedFacts } from '../../embed/run/embed';
import type { Interpreter } from '../../embed/python/process';
import type { EmbedProgress } from '../../embed/run/progress';
import type { Part } from '../../embed/run/windows';
import { version } from '../../../package.json';
import { EXIT } from '../exit';
import type { ExitCode } from '../exit';
import { withEngineErrors } from '../embed/load';
import { batchBytes, batchText, gpuFreeBytes } from '../embed/memory';
import { chosenModel, pythonFor } from '../embed/models';
import { inputOf, overridesOf } from '../embed/options';
import type { EmbedOptions, EngineOptions } from '../embed/options';
import { optionsOfConfig } from '../embed/config';
import type { SpreadOptions } from '../embed/spread/openRunner';
import {
  count,
  duration,
  roughly,
  ProgressReporter,
  progressDocument,
  progressText,
} from '../embed/progress';
import type { ProgressReport } from '../embed/progress';
import { verified } from '../embed/verified';
import { BadInput, terminalOutput } from '../output';
import type { Output } from '../output';

/** `headroom embed FILE --out DIR`: texts to vectors. */
export async function embed(file: string | undefined, options: SpreadOptions): Promise<void> {
  if (options.hosts ?? options.slurm ?? options.ray ?? options.gpus) {
    const { spread } = await import('../embed/spread/spread');
    return spread(file, options);
  }
  if (options.parts !== undefined) {
    throw new BadInput(
      '--parts splits over GPUs or machines: add --gpus all, --hosts, --slurm or --ray. Or use --shard 1/4.',
    );
  }
  await withEngineErrors(async embedding => {
    const order = await ordered(embedding, file, options);
    const before = options.resume ? await embedding.readManifest(order.folder) : null;
    const code =
      before?.state === 'complete' && (await isWhole(embedding, order.folder))
        ? alreadyComplete(order.folder, options)
        : await runWithProgress(order.folder, options, watch =>
            (before ? embedding.resume : embedding.embed)(order, watch),
          );
    return code === EXIT.fits && options.verify ? verified(embedding, order.folder, options) : code;
  });
}

/** `headroom resume DIR` for an output folder: continues the run as its manifest describes it. */
export async function resumeEmbedding(folder: string, options: EngineOptions): Promise<void> {
  await withEngineErrors(async embedding => {
    const manifest = await embedding.readManifest(folder);
    if (manifest === null) {
      throw new BadInput(`${folder}: no embeddings manifest.json; give the output folder of headroom embed.`);
    }
    if (manifest.state === 'complete' && (await isWhole(embedding, folder))) {
      return alreadyComplete(folder, options);
    }
    const { model: record, input, format, rowsPerShard, part } = manifest;
    const { precision, maxTokens, normalize, prompt, dimensions, poolings } = record;
    const modelFolder = options.model ?? manifest.modelFolder;
    const overrides = {
      precision,
      onnx: options.onnx,
      maxTokens,
      normalize,
      prompt,
      dimensions: dimensions ?? undefined,
    };
    const worker = record.runtime === 'onnxruntime' ? 'onnx' : 'python';
    const engine = { ...options, worker: options.worker === 'auto' ? worker : options.worker } as const;
    const chosen = await chosenModel(embedding, modelFolder, overrides, engine);
    const model = { ...chosen.model, poolings, poolPrompt: record.poolPrompt };
    const order: EmbedOrder = {
      folder,
      input: { ...input, id: input.id ?? '', path: options.input ?? input.path },
      model,
      modelFolder,
      engine: engineOf(options, model, await pythonFor(model, options)),
      format,
      rowsPerShard,
      part,
      createdBy: manifest.createdBy,
    };
    return runWithProgress(folder, options, watch => embedding.resume(order, watch));
  });
}

/** A config of embeddings runs as it says; any other file is a text file. */
async function ordered(
  embedding: Embedding,
  file: string | undefined,
  options: EmbedOptions,
): Promise<EmbedOrder> {
  if (file === undefined || !/\.ya?ml$/i.test(file)) return orderOf(embedding, file, options);
  const all = await optionsOfConfig(file, options);
  if (all.input === undefined) throw new BadInput(`${file}: no text file set; add --input FILE.`);
  if (all.out === undefined) {
    throw new BadInput(`${file}: no output folder set; add --out FOLDER.`);
  }
  return orderOf(embedding, undefined, all);
}

async function orderOf(
  embedding: Embedding,
  file: string | undefined,
  options: EmbedOptions,
): Promise<EmbedOrder> {
  const path = file ?? options.input;
  if (path === undefined) throw new BadInput('Missing input. Give a text file, or - for standard input.');
  if (options.out === undefined) throw new BadInput('Missing output folder. Set it with --out.');
  const chosen = await chosenModel(embedding, options.model ?? null, overridesOf(options), options);
  return {
    folder: options.out,
    input: inputOf(embedding, path, options),
    ...chosen,
    engine: engineOf(options, chosen.model, await pythonFor(chosen.model, options)),
    format: options.format,
    rowsPerShard: options.rowsPerShard,
    part: options.shard,
    createdBy: `headroom ${version}`,
  };
}

const engineOf = (
  { device, workers, batchTokens, batchRows }: EngineOptions,
  model: EmbedModel,
  python: Interpreter | null,
) => ({
  workerFile: join(__dirname, 'embedWorker.js'),
  device,
  workers,
  python,
  batchTokens,
  batchRows,
  bytesOf: batchBytes(model).catch(() => null),
  gpuFreeBytes,
});

/** What a manifest calls complete may have been damaged since. */
const isWhole = async (embedding: Embedding, folder: string): Promise<boolean> =>
  (await embedding.verify(folder, {})).flaws.length === 0;

function alreadyComplete(folder: string, options: EngineOptions): ExitCode {
  terminalOutput(options).err(`${folder}: already complete.`);
  return EXIT.fits;
}

/** Runs with progress; Ctrl+C ends it after the current batches, a second one immediately. */
async function runWithProgress(
  folder: string,
  options: EngineOptions,
  run: (watch: EmbedWatch) => Promise<EmbedResult>,
): Promise<ExitCode> {
  const output = terminalOutput(options);
  const reporter = new ProgressReporter(
    options.progress,
    output,
    options.quiet === true,
    process.stderr.isTTY,
  );
  const stop = new AbortController();
  let part: Part = { index: 0, of: 1 };
  let outlook: NodeJS.Timeout | undefined;
  const end = (): void => {
    if (stop.signal.aborted) process.exit(EXIT.undecided);
    stop.abort();
    reporter.clear();
    output.err('Stopping after the current batches …');
  };
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    const watch: EmbedWatch = {
      signal: stop.signal,
      nowMs: () => performance.now(),
      started: facts => {
        part = facts.manifest.part;
        for (const flaw of facts.damaged) output.err(`${flaw} It is embedded again.`);
        output.err(startText(facts));
      },
      progress: read => {
        reporter.start(() => reportOf(read(), part));
        if (options.quiet !== true && options.progress === 'auto') {
          outlook = reportOutlook(read, reporter, output);
        }
      },
    };
    const result = await run(watch);
    reporter.stop(reportOf(result.progress, part));
    reportResult(folder, result, options, output);
    return result.manifest.state === 'complete' ? EXIT.fits : EXIT.undecided;
  } finally {
    clearInterval(outlook);
    reporter.stop(null);
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

/** Reports the total time once a rate is known; not for a run that ends immediately. */
function reportOutlook(
  read: () => EmbedProgress,
  reporter: ProgressReporter,
  { err }: Output,
): NodeJS.Timeout {
  const timer = setInterval(() => {
    const { etaS, elapsedS } = read();
    if (etaS === null || elapsedS < RATED_S) return;
    clearInterval(timer);
    if (etaS < WORTH_S) return;
    reporter.clear();
    err(`Takes about ${roughly(etaS + elapsedS)} at this rate.`);
  }, OUTLOOK_MS);
  timer.unref();
  return timer;
}

const OUTLOOK_MS = 250;
const RATED_S = 2;
const WORTH_S = 15;

const reportOf = (progress: EmbedProgress, part: Part): ProgressReport => ({
  text: progressText(progress),
  document: progressDocument(progress, part),
});

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

function startText({ manifest, workers, deviceWhy, rowsBefore, batch }: StartedFacts): string {
  const { model, rows, firstRow, part } = manifest;
  const many = rows === null ? 'standard input' : `${count(rows)} texts`;
  const which = part.of === 1 ? '' : ` (part ${part.index + 1} of ${part.of}, from row ${firstRow})`;
  const before = rowsBefore > 0 ? `, ${count(rowsBefore)} already done` : '';
  const pooling = `${model.poolings.join(' + ')}${model.normalize ? ', normalized' : ''}`;
  const price =
    model.precision === 'int8' ? ' Computes in 8 bits: faster, less exact, one text per batch.' : '';
  return `${many}${which}${before}, with ${model.name} (${pooling}, cut at ${model.maxTokens} tokens) on ${deviceWhy}; ${workers} ${workers === 1 ? 'worker' : 'workers'}, ${batchText(batch)}.${price}`;
}

function reportResult(
  folder: string,
  { manifest, progress, batch }: EmbedResult,
  options: EngineOptions,
  { out, err }: Output,
): void {
  const { shards, dimensions, state, rows } = manifest;
  if (options.json) {
    const { elapsedS, rowsPerS, tokensPerS } = progress;
    out(
      json(
        {
          schema: manifest.schema,
          folder,
          state,
          shape: [progress.rows, dimensions],
          shards,
          batch,
          elapsedS,
          rowsPerS,
          tokensPerS,
        },
        2,
      ),
    );
    return;
  }
  if (state === 'running') {
    out(`${folder}: stopped after ${count(progress.rows)} texts; continue with headroom resume ${folder}.`);
    return;
  }
  const sum = (name: 'cut' | 'empty'): number => shards.reduce((all, shard) => all + (shard[name] ?? 0), 0);
  out(
    `${folder}: (${rows ?? 0}, ${dimensions ?? 0}) in ${shards.length} ${shards.length === 1 ? 'file' : 'files'}`,
  );
  err(
    `${duration(progress.elapsedS)} · ${count(Math.round(progress.rowsPerS))} texts/s · ${count(Math.round(progress.tokensPerS))} tokens/s`,
  );
  const [cut, empty] = [sum('cut'), sum('empty')];
  if (cut > 0) err(`${count(cut)} texts were truncated to ${manifest.model.maxTokens} tokens.`);
  if (empty > 0) {
    err(`${count(empty)} texts have no tokens; their vectors are meaningless.`);
  }
}
