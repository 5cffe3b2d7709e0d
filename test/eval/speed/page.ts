import { PRIORS } from '../../../src/core/speed/constants';
import type { ConstantName } from '../../../src/core/speed/constants';
import type { PeerScore } from './peers';
import type { GroupScore, Scores } from './score';

const percent = (share: number | null): string => (share === null ? '' : `${(100 * share).toFixed(1)} %`);

function line(name: string, score: GroupScore): string {
  const { n, asked, median, p90, inside, ruleMedian, ruleP90 } = score;
  const cells = [
    name,
    `${n} of ${asked}`,
    percent(median),
    percent(p90),
    percent(inside),
    percent(ruleMedian),
    percent(ruleP90),
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEAD = [
  '| measured runs | answered | median error | 90th percentile | inside the interval | rule: median | rule: 90th percentile |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

function constantLine(name: ConstantName, value: number): string {
  const { value: prior, why } = PRIORS[name];
  return `| ${name} | ${prior} | ${value} | ${why} |`;
}

const PEER_HEAD = [
  '| tool | runs | answered | its median | its 90th percentile | Headroom: median | Headroom: 90th percentile |',
  '| --- | --- | --- | --- | --- | --- | --- |',
];

function peerLine(score: PeerScore): string {
  const { peer, several, answered, asked } = score;
  const cells = [
    peer,
    several ? 'several GPUs' : 'one GPU',
    `${answered} of ${asked}`,
    percent(score.median),
    percent(score.p90),
    percent(score.ownMedian),
    percent(score.ownP90),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** Other tools on the same rows. */
const peersText = (peers: readonly PeerScore[]): string => `## Other tools

Tools on PyPI that say how long a training step takes without running it: \`llm-analysis\` 0.2.2, with half of the peak, which it says
that Megatron-LM reaches, and \`ftuneai\` 0.4.1. Each gets the sizes of the model and of the step as Headroom read them (\`test/eval/speed/peers.py\`),
since neither reads configs. They answer for the GPUs in their own catalogs. \`llm-analysis\` knows no adapters, and refuses a run whose full training does not fit one GPU. Headroom's
errors beside are on the same runs, with each source left out.
\`vidur\` 0.0.26 and \`genz-llm\` 0.0.16 say how long serving takes, and \`crusoe-estimator\` and \`green-love\` run the training first, so
that they have no answer here. Calculon, SimuMax, ASTRA-sim and LLM-Viewer are not on PyPI.

${peers.length === 0 ? 'No answers were given (`--peers`).' : [...PEER_HEAD, ...peers.map(peerLine)].join('\n')}
`;

/** The page of the figures: docs/speed.md. */
export function pageOf({ groups, fitted, missing, peers }: Scores): string {
  const rows = Object.entries(groups).filter(([, { asked }]) => asked > 0);
  const names = Object.keys(PRIORS) as readonly ConstantName[];
  const unanswered = Object.entries(missing).map(([fact, count]) => `- ${fact} (${count})`);
  return `# Time and cost

<!-- Written by \`npm run speed -- --dir DIR --write\`. -->

Headroom says how fast a training run is before it starts: tokens or samples per second and GPU, seconds per step, hours, dollars
by the dated prices of its catalog, and energy at the boards' power limits, each with an interval. \`headroom explain FILE --gpu NAME\`
shows it, with \`--json\` as \`speed\`.

## How it is computed

The memory model plays a step operation by operation, and counts on the way: products of matrices by shape, fused attention,
convolutions, bytes that small kernels write, kernels, what checkpointing runs again. Time is a roofline over these counts on the
published rates of the GPU. Around it: the optimizer's update, collectives that hide behind computing or wait, and the pipeline's
bubble.

Where rows are not packed and nobody counted them, only the data tell how many tokens a step has. Headroom then takes rows as long
as ms-swift's table of public datasets says: those of the data where it names them, otherwise half of its datasets have shorter
ones. It says so (\`if rows have 426 tokens\`), and the interval is wider by what the shortest and longest 5 % of these
datasets would change. \`headroom lengths FILE\` counts the data. A plan's hours are never compared on assumed rows.

The steps are those of the config, or those of its epochs: over the rows that were counted, that the config limits (\`max_samples\`,
\`#500\`), or that ms-swift's table has for public data. Otherwise hours are those of 1,000 steps.

A GPU reaches a share of its published rate. GeForce GPUs since Ampere, an A10G and an L20 add up in fp32 at half the rate of their
tensor cores, which is what is published for them, and reach nearly all of it. Boards that a slot feeds with 75 W, a T4 or an L4,
lower their clock: NVIDIA’s forum has 24 of 65 TFLOP/s on a T4.

The network that a program or a config's project defines is counted the same way (\`src/core/network\`): its products, convolutions
and attention from its own code, run on shapes. A convolution is the product that cuDNN computes, with a row for each output position
and a column for each channel, and reads its input once. In fp32 it computes in TF32, as torch does by default. A step that trains
several networks passes each as often as its loop calls it, so that a discriminator judges three times. What copies and broadcasts
write is not counted, nor what a program's own code does between the layers.

Time is unknown, and Headroom says so, where the catalog has no rates of the GPU and where the memory is unknown. Data loading,
saving and evaluating are not counted.

## Plans

\`headroom optimize\`, the list of plans in VS Code and the page of a plan say how long the run takes with each plan and what it costs,
beside now: \`≈ 1.2 h and $0.91 for 500 steps instead of 1.3 h and $0.93, 2 % less time\`. Where a step processes other tokens, or only
the data tell how many, it is a ratio: \`≈ 18 % less time per token\`. Both runs are computed, so that errors of the model mostly
cancel. The goal *fastest* ranks its plans by it, and *cheapest* by the cost, on all GPUs or on fewer. A plan that moves tensors
to the CPU, pages optimizer states or changes the evaluation has the price of a table instead: the model does not count what those cost.

## How good it is

Each source of measurements is left out in turn: its runs are predicted with constants that the other sources give, and its
interval is that of the other sources. The rule beside it takes 50 % of the GPU's published rate for every run, over the same
counted FLOPs without recomputation. The interval of a source that nobody has seen holds 95 % of the errors of each known source, and
what one more source may differ by (Student's t over the medians of all sources). Nothing is fitted on runs with assumed rows.

${[...HEAD, ...rows.map(([name, score]) => line(name, score))].join('\n')}

The runs of \`megatron-golden\` are functional tests of small models in deterministic mode. They wait for the host and for what the
tests log, so that no constant learns from them, and they are not among all runs above. \`speed-vtrain\` is a table, whose rows go in as
commands with the settings that its simulator's configs name.

Chosen while looking at these runs: how strongly constants are held to what is known without them; attention without a fused
kernel and full recomputation for \`speed-vtrain\`, from its repository; that \`megatron-golden\` is apart; and three mechanisms, whose
numbers are published ones: the host starts products and collectives too and needs 24 µs for each, communication beside computing
costs a part of its time, and the last wave of a product's tiles is half empty. Before these three, one GPU was off by 14.1 and
16.5 %, several by 14.5 and 48.2 %. With the constants that
were written down before any run was looked at, the first try was off by 2.7 % in the median and 3.6 % at the 90th percentile for 65
runs of \`speed-fms\` on one GPU, and by 1.9 and 7.3 % for 102 runs on several. \`speed-bridge\` was read last: the first try answered
117 of 139 runs, off by 34.1 % in the median and 114 % at the 90th percentile. It showed that Megatron's latent attention was counted
too wide; without that mistake it was 24.7 and 67.3 %.
The shares of GeForce GPUs and of boards of 75 W were looked up after the runs on a T4, an A10G and an RTX 4090 were seen. They are
published ones, and no run here moves them far. Before, one GPU was off by 11.3 and 62.6 %.

Own networks were compared with published times once (round 171 of \`docs/blind.md\`): the first try answered 11 of 15 programs, off
by 32.2 % in the median and 95.1 % at the 90th percentile, 9 of 11 inside the interval. Convolutions had one guessed share of the rate; as products they
are off by 9.9 % in the median, 48.7 % at the 90th percentile, 8 of 11 inside. A capsule network that copies
broadcast matrices is counted too fast on both of its GPUs, and a config whose program switches autocast on too slow. The interval is fitted on language models.

${peersText(peers)}
## Not answered

${unanswered.join('\n')}

## Constants

| constant | without measurements | fitted | why |
| --- | --- | --- | --- |
${names.map(name => constantLine(name, fitted.constants[name])).join('\n')}
`;
}
