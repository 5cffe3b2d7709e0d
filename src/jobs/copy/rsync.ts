import { sshEnvironment } from '../../remote/sshArguments';
import type { Signal } from '../../core/signal';
import type { Shells } from '../../remote/shells';
import { nodeTalk } from '../../remote/talk';
import type { Talk, TalkEnd } from '../../remote/talk';
import type { Choice } from './choose';

/** A child's output and end, for who reads them one after the other. */
export interface Ends {
  bytes: (bytes: Buffer) => void;
  readonly end: Promise<TalkEnd>;
}

/** Listens to a child at once. */
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

/** Seconds in which nothing moves until rsync gives up. */
const STILL_SECONDS = 60;
const LOOK_MS = 200;

/** A path that means the same to every shell: rsync before 3.2.4 hands it to one. */
const PLAIN = /^\/[\w./-]*$/;
/** Names of jobs, as a host lists them. */
const JOB_FOLDER = /^[\w-]+$/;

/**
 * Copies the chosen files into a folder below the home of a host: what the copy of an earlier job has unchanged is taken from
 * there. False where it did not work, for whatever reason (no rsync here, a login file that speaks): there is another way.
 */
export async function rsynced(
  shells: Shells,
  alias: string,
  to: { readonly home: string; readonly job: string; readonly part: string; readonly earlier: string | null },
  choice: Choice,
  signal: Signal,
): Promise<boolean> {
  // Behind a colon its path begins, or a port.
  if (alias.includes(':') || !PLAIN.test(to.home)) return false;
  const earlier = to.earlier !== null && JOB_FOLDER.test(to.earlier) ? to.earlier : null;
  const args = [
    '-az',
    '--no-owner',
    '--no-group',
    '--from0',
    '--files-from=-',
    `--timeout=${STILL_SECONDS}`,
    // A copy, no link: a job that changes a file changes its own.
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

/** As rsync splits what it is told of ssh: at spaces, but not within quotes, which are doubled to stand for themselves. */
const quoted = (word: string): string =>
  /^[\w./=:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "''")}'`;
