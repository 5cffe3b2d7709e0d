import { line } from './line';

const LEFT = String.raw`(?<eta>(?:\d+ (?:h|min|s) ?)+) left`;
const RATES = {
  samplesPerSecond: '{} texts/s',
  tokensPerSecond: '{} tokens/s',
  eta: LEFT,
};

/** Headroom's own embedding engine, alone and in parts over several hosts. */
export const headroomForms = [
  line({
    start: String.raw`^\{"event":"embed-(?:progress|parts)",`,
    parts: {
      step: '"rows":{}',
      steps: '"rowsTotal":{}',
      parts: '"parts":{}',
      partsDone: '"done":{}',
      samplesPerSecond: '"rowsPerS":{}',
      tokensPerSecond: '"tokensPerS":{}',
      etaSeconds: '"etaS":{}',
    },
    example:
      '{"event":"embed-parts","parts":16,"done":3,"running":8,"rows":1240,"rowsTotal":5000,"rowsPerS":310.4,"tokensPerS":24553,"etaS":12.1}',
    source: 'src/cli/embed/progress.ts progressDocument',
  }),
  line({
    start: String.raw`^(?<step>{}) of (?<steps>{}) texts \(\d+ %\)`,
    parts: RATES,
    example: '1,240 of 5,000 texts (24 %) · 310 texts/s · 24,553 tokens/s · 12 s left',
    source: 'src/cli/embed/progress.ts progressText',
  }),
  line({
    start: String.raw`^(?<step>{}) of (?<steps>{}) texts · (?<partsDone>{}) of (?<parts>{}) parts done`,
    parts: RATES,
    example:
      '1,240 of 5,000 texts · 3 of 16 parts done, 8 run · 310 texts/s · 24,553 tokens/s · 1 min 2 s left',
    source: 'src/cli/embed/spread/spread.ts toldOf',
  }),
];
