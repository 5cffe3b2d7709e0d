import type { Architecture } from '../architecture';
import { buildDecoder } from './decoder';
import type { DecoderDesign } from './decoder';

/** The definition of a decoder architecture in one file. */
interface DecoderArchitecture extends Pick<
  Architecture,
  'modelTypes' | 'source' | 'since' | 'release' | 'attention' | 'generates'
> {
  readonly design: DecoderDesign;
  /** The design in older releases (`Behavior.formerCode`). */
  readonly former?: DecoderDesign;
  missing?: Architecture['missing'];
}

/** An architecture of causal decoders, with any of their heads. */
export function decoderArchitecture({
  design,
  former = design,
  missing,
  ...facts
}: DecoderArchitecture): Architecture {
  return {
    ...facts,
    hasLayers: true,
    layersByNumber: true,
    heads: ['causal-lm', 'base', 'sequence-classification', 'token-classification'],
    missing: missing ?? (() => []),
    build: (builder, run) => buildDecoder(builder, run, run.behavior.formerCode ? former : design),
  };
}
