import type { DialectProgram, NearbyFiles, Server } from '../engine/compose';
import type { FlagNames } from './flags';

/** A program that serves a model, and the dialect of its flags. */
export interface KnownServer extends Server {
  readonly dialect: string;
}

/** The servers among the known programs. */
export const serversIn = ({ programs = [] }: Pick<NearbyFiles, 'programs'>): readonly KnownServer[] =>
  programs.flatMap(({ dialect, program }: DialectProgram) =>
    program.server ? [{ ...program.server, dialect }] : [],
  );

/** How a server's flags map to keys. */
export const flagNamesOf = ({ aliases, switches }: Pick<Server, 'aliases' | 'switches'>): FlagNames => ({
  joint: '-',
  ...(aliases && { aliases }),
  ...(switches && { bare: switches }),
});
