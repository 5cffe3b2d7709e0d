import type { RankWork } from '../../../src/core/memory/rankWork';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { quantile } from '../accuracy/statistics';
import { jsonLines } from '../toolArguments';
import type { Row } from './rows';

/** A run as other tools take it: sizes of the model and of a step. `peers.py` asks them. */
export interface PeerQuestion {
  readonly id: string;
  readonly gpu: string;
  readonly gpus: number;
  readonly method: string | null;
  readonly layers: number;
  readonly heads: number;
  readonly kvHeads: number;
  readonly hidden: number;
  readonly inner: number;
  readonly vocabulary: number;
  readonly positions: number | null;
  readonly parameters: number | null;
  readonly experts: number;
  readonly expertsPerToken: number;
  readonly gated: boolean;
  /** Rows, tokens of a row and micro-batches of a step on one GPU. */
  readonly rows: number;
  readonly tokens: number;
  readonly passes: number;
  readonly tensor: number;
  readonly stages: number;
  readonly shardRanks: number;
  readonly gathers: boolean;
  readonly checkpoints: boolean;
}

export function questionOf(
  id: string,
  { run, model, target }: RunAnalysis,
  gpus: number,
  [rank]: readonly RankWork[],
): PeerQuestion | null {
  // A network without sizes, or one of images, is nothing that these tools take.
  if (!model || !rank?.isOfTexts || !target?.gpu || model.layers === 0) return null;
  const { method, gradientCheckpointing } = run.quantities;
  const { sent } = rank;
  return {
    id,
    gpu: target.gpu.name,
    gpus,
    method: method.value,
    layers: model.layers,
    heads: model.heads,
    kvHeads: model.kvHeads,
    hidden: model.hiddenSize,
    inner: model.intermediateSize,
    vocabulary: model.vocabSize,
    positions: model.maxPositions,
    parameters: model.parameters?.total ?? model.publishedTotal,
    experts: model.experts,
    expertsPerToken: model.expertsPerToken,
    gated: model.gatedMlp,
    rows: rank.rows,
    tokens: rank.tokens,
    passes: rank.passes,
    tensor: sent.tensorRanks,
    stages: rank.stages,
    shardRanks: sent.shardRanks,
    gathers: sent.gatheredBytes > 0,
    checkpoints: gradientCheckpointing.value === true,
  };
}

interface Answer {
  readonly id: string;
  readonly peer: string;
  readonly seconds: number;
}

/** How a tool does on the rows that it answers, and Headroom on the same. */
export interface PeerScore {
  readonly peer: string;
  readonly several: boolean;
  readonly answered: number;
  readonly asked: number;
  readonly median: number;
  readonly p90: number;
  readonly ownMedian: number;
  readonly ownP90: number;
}

/** Scores the answers in a file of `peers.py`, beside the logarithms of Headroom's own errors. */
export function peerScores(file: string, own: ReadonlyMap<Row, number>): readonly PeerScore[] {
  const answers = jsonLines(file) as readonly Answer[];
  const peers = [...new Set(answers.map(({ peer }) => peer))].toSorted();
  return peers.flatMap(peer => {
    const said = new Map(answers.flatMap(one => (one.peer === peer ? [[one.id, one.seconds] as const] : [])));
    return [false, true].flatMap(several => {
      const asked = [...own].filter(([row]) => row.several === several);
      const pairs = asked.flatMap(([row, error]) => {
        const seconds = said.get(`${row.source}/${row.id}`);
        return seconds === undefined ? [] : [{ own: error, theirs: Math.log(seconds / row.seconds) }];
      });
      if (pairs.length === 0) return [];
      const at = (share: number, of: 'own' | 'theirs'): number =>
        quantile(
          pairs.map(pair => Math.abs(Math.exp(pair[of]) - 1)),
          share,
        );
      return [
        {
          ...{ peer, several, answered: pairs.length, asked: asked.length },
          ...{ median: at(0.5, 'theirs'), p90: at(0.9, 'theirs') },
          ...{ ownMedian: at(0.5, 'own'), ownP90: at(0.9, 'own') },
        },
      ];
    });
  });
}
