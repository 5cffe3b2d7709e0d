import type { SourceFile } from '../../spec/runSpec';

/** True for the config, what is laid over it and what it lies on: all in the words of its dialect. */
export const isOwn = ({ via }: SourceFile): boolean =>
  via.kind === 'config' || via.kind === 'overlay' || via.kind === 'beneath';
