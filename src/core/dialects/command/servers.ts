import type { DialectProgram, Layer, NearbyFiles, Server } from '../engine/compose';
import type { Shipper } from '../../spec/runSpec';
import { shippedLayer } from '../engine/settings';
import type { FlagNames } from './flags';

/** A program that serves a model, and the dialect of its flags. */
export interface KnownServer extends Server {
  readonly dialect: string;
  readonly framework: Shipper;
}

/** The servers among the known programs. */
export const serversIn = ({ programs = [] }: Pick<NearbyFiles, 'programs'>): readonly KnownServer[] =>
  programs.flatMap(({ dialect, framework, program }: DialectProgram) =>
    program.server ? [{ ...program.server, dialect, framework }] : [],
  );

/** How a server's flags map to keys. */
export const flagNamesOf = ({ aliases, switches }: Pick<Server, 'aliases' | 'switches'>): FlagNames => ({
  joint: '-',
  ...(aliases && { aliases }),
  ...(switches && { bare: switches }),
});

/** What the program that a line starts it with has by itself: `trl vllm-serve` has a share of its own. */
export function ownDefaults({ commands, framework }: KnownServer, line: string): readonly Layer[] {
  const own = commands?.find(({ words }) => words.test(line));
  return own?.keys ? [shippedLayer(own.source, own.keys, framework)] : [];
}
