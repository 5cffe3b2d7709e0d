import { sshEnvironment } from '../../remote/sshArguments';
import type { Signal } from '../../core/signal';
import type { Shells } from '../../remote/shells';
import { nodeTalk } from '../../remote/talk';
import type { Talk, TalkEnd } from '../../remote/talk';
import type { Choice } from './choose';

/** A child's output and end, for reading one after the other. */
interface Ends {
  bytes: (bytes: Buffer) => void;
  readonly end: Promise<TalkEnd>;
}

/** Starts listening immediately. */
export function ends(talk: Talk): Ends {
  let resolveEnd: (end: TalkEnd) => void = () => undefined;
  const end = new Promise<TalkEnd>(resolve => (resolveEnd = resolve));
  const ends: Ends = { bytes: () => undefined, end };
  talk.listen(
    bytes => ends.bytes(bytes),
    end => resolveEnd(end),
  );
  return ends;
}

/** Seconds without progress until rsync gives up. */
const STILL_SECONDS = 60;
const LOOK_MS = 200;

/** A path without special characters in any shell: rsync before 3.2.4 passes it to one. */
const PLAIN = /^\/[\w./-]*$/;
/** Names of job folders on a host. */
const JOB_FOLDER = /^[\w-]+$/;

/**
 * Copies the chosen files to a folder in a host's home; files that are unchanged since an earlier job's copy are
 * taken from there. False if it failed for any reason (no rsync here, a login file with output): the caller then
 * uses tar.
 */
export async function rsynced(
  shells: Shells,
  alias: string,
  to: { readonly home: string; readonly job: string; readonly part: string; readonly earlier: string | null },
  choice: Choice,
  signal: Signal,
): Promise<boolean> {
  // In rsync, a colon separates the host from a path or port.
  if (alias.includes(':') || !PLAIN.test(to.home)) return false;
  const earlier = to.earlier !== null && JOB_FOLDER.test(to.earlier) ? to.earlier : null;
  const args = [
    '-az',
    '--no-owner',
    '--no-group',
    '--from0',
    '--files-from=-',
    `--timeout=${STILL_SECONDS}`,
    // A copy instead of a hard link, so that a job that changes a file changes only its own.
    ...(earlier === null ? [] : [`--copy-dest=../../${earlier}/work`]),
    '-e',
    shells.sshWords.map(quoted).join(' '),
    './',
    `${alias}:${to.home}/.headroom/jobs/${to.job}/${to.part}/`,
  ];
  const here = nodeTalk('rsync', args, { cwd: choice.folder, env: sshEnvironment(process.env) });
  const ended = ends(here);
  const watch = setInterval(() => {
    if (signal.aborted) here.stop();
  }, LOOK_MS);
  try {
    await here.write(choice.files.map(name => `./${name}\0`).join(''));
    here.end();
    return (await ended.end).exitCode === 0;
  } finally {
    clearInterval(watch);
    here.stop();
  }
}

/**
 * Quotes for rsync's parsing of the ssh command: it splits at spaces outside quotes, and a doubled quote is a
 * literal one.
 */
const quoted = (word: string): string =>
  /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
