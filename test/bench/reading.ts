import { parseAllDocuments } from 'yaml';
import { analyse } from '../../src/core/analyse';
import { couldBeOurs } from '../../src/core/dialects/recognise';
import { parseYaml } from '../../src/core/yaml/parse';
import { median, quantile, rounded, timed } from './bench';
import type { Bench, BenchResult } from './bench';
import { NEVER, longConfig, stranger, surroundings } from './inputs';

const RUNS = 200;

async function yamlAlone(text: string, runs = RUNS): Promise<{ name: string; value: number }> {
  const times = await timed(runs, () => parseAllDocuments(text, { logLevel: 'silent' }));
  return { name: 'yaml alone', value: rounded(median(times)) };
}

function against(
  times: readonly number[],
  peer: { name: string; value: number },
  input: string,
): BenchResult {
  const value = rounded(median(times));
  const detail = { p95: rounded(quantile(times, 0.95)), input };
  return { value, unit: 'ms', runs: times.length, peer, ratio: rounded(value / peer.value, 2), detail };
}

/** Text to tree with spans, against the parser it stands on. */
export const parse: Bench = {
  name: 'parse',
  async run() {
    const text = longConfig();
    const times = await timed(RUNS, () => parseYaml(text));
    return against(times, await yamlAlone(text), '300-line Axolotl config');
  },
};

/** Text to findings with remedies, against parsing alone. */
export const analyseBench: Bench = {
  name: 'analyse',
  async run() {
    const text = longConfig();
    const { world, options } = await surroundings();
    const times = await timed(RUNS, () => analyse('bench.yaml', text, world, options, NEVER));
    return against(times, await yamlAlone(text), '300-line Axolotl config, model in the catalog, RTX 4090');
  },
};

/** Our own work between an edit and its diagnostics: p95. Each run sees a new text. */
export const edit: Bench = {
  name: 'edit',
  async run() {
    const { world, options } = await surroundings();
    const texts = [1, 2, 4, 8].map(n =>
      longConfig().replace(/^micro_batch_size: \d+/m, `micro_batch_size: ${n}`),
    );
    const times = await timed(RUNS, async i => {
      const text = texts[i % texts.length] ?? '';
      if (couldBeOurs(text)) await analyse('bench.yaml', text, world, options, NEVER);
    });
    const turnedAway = stranger();
    const scans = await timed(20, () => couldBeOurs(turnedAway));
    return {
      value: rounded(quantile(times, 0.95)),
      unit: 'ms (p95)',
      runs: times.length,
      peer: await yamlAlone(texts[0] ?? ''),
      detail: {
        median: rounded(median(times)),
        turnAway20000LinesMs: rounded(median(scans)),
        parsing20000LinesMs: (await yamlAlone(turnedAway, 3)).value,
      },
    };
  },
};
