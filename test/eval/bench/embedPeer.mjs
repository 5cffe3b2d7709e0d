// The peer of `bench embed`: the feature-extraction pipeline of transformers.js over the same texts with the same model.
//   node embedPeer.mjs MODEL TEXTS BATCH THREADS
// It is copied beside the package, which is installed into a folder of its own, and prints the seconds of the texts alone.
import { readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import { pipeline, env } from '@huggingface/transformers';

const [model, file, batch, threads] = process.argv.slice(2);
const texts = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line).text);
env.allowRemoteModels = false;
env.localModelPath = dirname(model);
const session = threads === 'all' ? {} : { session_options: { intraOpNumThreads: Number(threads) } };
const extractor = await pipeline('feature-extraction', basename(model), {
  dtype: 'fp32',
  device: 'cpu',
  ...session,
});
const options = { pooling: 'mean', normalize: true };
await extractor(['warm up'], options);
const [begin, cpu] = [performance.now(), process.cpuUsage()];
let vectors = 0;
for (let i = 0; i < texts.length; i += Number(batch)) {
  const { dims } = await extractor(texts.slice(i, i + Number(batch)), options);
  vectors += dims[0];
}
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({ vectors, wallS: (performance.now() - begin) / 1000, cpuS: (user + system) / 1e6 }),
);
