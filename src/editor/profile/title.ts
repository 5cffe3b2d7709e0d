import type { ProfileSubject } from './profileConfig';

/** The config and its run, as titles name them. */
export const titleOf = ({ file, run }: Pick<ProfileSubject, 'file' | 'run'>): string =>
  [file, run].join(' ').trim();
