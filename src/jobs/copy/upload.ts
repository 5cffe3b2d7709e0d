import { randomBytes } from 'node:crypto';
import type { Shells } from '../../remote/shells';
import { sshTrouble } from '../../remote/sshTroubles';
import { nodeTalk } from '../../remote/talk';
import type { Talk, TalkEnd } from '../../remote/talk';
import { JobError } from '../engine';
import { ends, rsynced } from './rsync';
import { askFor, firstValue } from '../remote/host';
import type { Choice } from './choose';
import { KIB } from '../../core/units';
import type { Signal } from '../../core/signal';

/** The other side writes this when it is ready to read bytes. */
const READY = '@headroom-ready';

/** A single compound command, so that the shell reads all of it before tar reads what follows. */
const receiving = (folder: string): string =>
  `{ umask 077; J="$HOME/.headroom/jobs/${folder}"; mkdir -p "$J" && cd "$J" && echo ${READY} && exec tar -xzf -; }\n`;

/** A copy without progress for this long is given up. */
const STILL_MS = 60_000;

/** Copies the chosen files to the job's folder on a host, all or nothing; keeps an existing copy. */
export async function upload(
  shells: Shells,
  alias: string,
  id: string,
  choice: Choice,
  signal: Signal,
): Promise<void> {
  const prepared = await askFor(shells, alias, ['prepare', id], signal);
  if (firstValue(prepared, 'copied') !== null) return;
  if (firstValue(prepared, 'tar') === null) {
    throw new JobError('no-tool', `${alias} has no tar to unpack the copied files.`);
  }
  needsRoom(choice, firstValue(prepared, 'free'), alias);
  let part = newPart();
  const to = {
    home: firstValue(prepared, 'home') ?? '',
    job: id,
    part,
    earlier: firstValue(prepared, 'last'),
  };
  const isCopied =
    firstValue(prepared, 'rsync') !== null && (await rsynced(shells, alias, to, choice, signal));
  if (!isCopied) {
    if (signal.aborted) throw new JobError('unreachable', `The copy to ${alias} was canceled.`);
    part = newPart();
    await sent(shells, alias, `${id}/${part}`, choice, signal);
  }
  await askFor(shells, alias, ['whole', id, part], signal);
}

const newPart = (): string => `part-${randomBytes(6).toString('hex')}`;

function needsRoom(choice: Choice, freeKib: string | null, alias: string): void {
  const free = Number(freeKib) * KIB;
  // 0 KiB may also mean that the answer had no number; a full disk reports its own error.
  if (choice.bytes <= free || Number.isNaN(free) || free === 0) return;
  throw new JobError(
    'disk',
    `${alias} has only ${Math.round(free / 1e6)} MB free in its home folder; the copy needs ${Math.round(choice.bytes / 1e6)} MB.`,
  );
}

async function sent(
  shells: Shells,
  alias: string,
  folder: string,
  choice: Choice,
  signal: Signal,
): Promise<void> {
  const { talk: remote, isIn } = await shells.start(alias);
  const ended = ends(remote);
  const here = nodeTalk('tar', ['-czf', '-', '-C', choice.folder, '--null', '-T', '-']);
  let movedMs = performance.now();
  let noise = '';
  const watch = setInterval(() => {
    if (!signal.aborted && performance.now() - movedMs < STILL_MS) return;
    remote.stop();
    here.stop();
  }, 200);
  try {
    const ready = new Promise<void>(resolve => {
      ended.bytes = bytes => {
        noise = (noise + bytes.toString('utf8')).slice(-4000);
        if (noise.includes(READY)) resolve();
      };
    });
    await remote.write(receiving(folder));
    await Promise.race([ready, ended.end]);
    isIn();
    movedMs = performance.now();
    const packed = packing(here, choice, async bytes => {
      const isTaken = await remote.write(bytes);
      movedMs = performance.now();
      return isTaken;
    });
    const end = await packed;
    remote.end();
    const far = await ended.end;
    if (signal.aborted) throw new JobError('unreachable', `The copy to ${alias} was canceled.`);
    throwIfFailed(end, far, alias, noise);
  } finally {
    clearInterval(watch);
    isIn();
    remote.stop();
    here.stop();
  }
}

function throwIfFailed(here: TalkEnd, remote: TalkEnd, alias: string, noise: string): void {
  if (remote.exitCode !== 0) {
    const isTar = noise.includes(READY) && remote.exitCode !== null && remote.exitCode !== 255;
    const last = remote.stderr.trim().split('\n').at(-1) ?? '';
    if (isTar) throw new JobError('disk', `${alias} couldn't unpack the copied files.`, last);
    const { message, todo, text } = sshTrouble({ ...remote, noise: '', wasSilent: false }, alias);
    throw new JobError('unreachable', todo === null ? message : `${message} ${todo}`, text);
  }
  if (here.failure !== null) throw new JobError('no-tool', 'tar was not found on this machine.');
  // Exit code 1: a file changed while it was read; its content may be mixed.
  if ((here.exitCode ?? 2) > 1) {
    const last = here.stderr.trim().split('\n').at(-1) ?? '';
    throw new JobError('disk', "Couldn't pack the folder.", last);
  }
}

/** Passes the names to tar and forwards its bytes with backpressure. */
function packing(tar: Talk, choice: Choice, take: (bytes: Buffer) => Promise<boolean>): Promise<TalkEnd> {
  return new Promise(resolve => {
    let chain = Promise.resolve();
    tar.listen(
      bytes => {
        tar.flow(false);
        chain = chain.then(async () => {
          if (await take(bytes)) tar.flow(true);
          else tar.stop();
        });
      },
      end => void chain.then(() => resolve(end)),
    );
    void tar.write(choice.files.map(name => `./${name}\0`).join('')).then(() => tar.end());
  });
}
