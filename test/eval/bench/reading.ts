import { parseAllDocuments } from 'yaml';
import { analyze } from '../../../src/core/analyse/analyse';
import { couldBeOurs } from '../../../src/core/dialects/couldBe';
import { parseYaml } from '../../../src/core/yaml/parse';
import { median, quantile, repeated, rounded, timed } from './bench';
import type { Bench, BenchResult } from './bench';
import { NEVER, longConfig, stranger, surroundings, withValues } from './inputs';

const RUNS = repeated(200, 2);

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

/** Text to tree with spans, compared with the underlying parser. */
export const parse: Bench = {
  name: 'parse',
  async run() {
    const text = longConfig();
    const times = await timed(RUNS, () => parseYaml(text));
    return against(times, await yamlAlone(text), '300-line Axolotl config');
  },
};

/** The n-th text of an hour of editing: no two need the same memory, so that no estimate is cached. */
const edited = (n: number): string =>
  withValues(longConfig(), { micro_batch_size: 1 + (n % 8), sequence_len: 1024 + 8 * n });

/** Text to findings, compared with parsing alone. */
export const analyzeBench: Bench = {
  name: 'analyse',
  async run() {
    const { world, options } = await surroundings();
    const times = await timed(RUNS, i => analyze('bench.yaml', edited(i), world, options, NEVER));
    const peer = await yamlAlone(edited(0));
    return against(times, peer, '300-line Axolotl config, model in the catalog, RTX 4090');
  },
};

/** Our own work between an edit and its diagnostics: p95. Each run gets a new text. */
export const edit: Bench = {
  name: 'edit',
  async run() {
    const { world, options } = await surroundings();
    const times = await timed(RUNS, async i => {
      const text = edited(i);
      if (couldBeOurs(text)) await analyze('bench.yaml', text, world, options, NEVER);
    });
    const turnedAway = stranger();
    const scans = await timed(repeated(20), () => couldBeOurs(turnedAway));
    return {
      value: rounded(quantile(times, 0.95)),
      unit: 'ms (p95)',
      runs: times.length,
      peer: await yamlAlone(edited(0)),
      detail: {
        median: rounded(median(times)),
        turnAway20000LinesMs: rounded(median(scans)),
        parsing20000LinesMs: (await yamlAlone(turnedAway, repeated(3))).value,
      },
    };
  },
};
