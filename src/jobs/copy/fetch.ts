import { mkdir } from 'node:fs/promises';
import { quotedText } from '../../remote/words';
import type { Shells } from '../../remote/shells';
import { sshTrouble } from '../../remote/sshTroubles';
import { nodeTalk } from '../../remote/talk';
import { JobError } from '../engine';
import type { JobRecord } from '../job';
import { allValues, askFor, remotePath, firstValue } from '../remote/host';
import { ends } from './rsync';
import type { Signal } from '../../core/signal';

const READY = '@headroom-ready\n';

/** A single compound command, so that the shell reads all of it before tar reads the names that follow. */
const sending = (folder: string): string =>
  `{ cd ${quotedText(folder) ?? "''"} && printf '%s\\n' '${READY.trim()}' && exec tar -czf - --null -T -; }\n`;

/** Nothing from a host may be written outside its target folder. */
const isInside = (name: string): boolean => name.startsWith('./') && !name.split('/').includes('..');

/**
 * Copies files that a job wrote (all of its `writes`, else everything newer than its start) to a local folder;
 * returns their names.
 */
export async function fetchChanged(
  shells: Shells,
  alias: string,
  record: JobRecord,
  folder: string,
  into: string,
  signal: Signal,
): Promise<readonly string[]> {
  const wanted = record.writes
    .map(path => remotePath(path, record.folder))
    .filter(path => !path.startsWith('/'));
  const places = wanted.length === 0 ? ['.'] : wanted.map(path => `./${path.replace(/^(?:\.\/)+/, '')}`);
  const since = wanted.length === 0 ? 'start' : '';
  const answer = await askFor(
    shells,
    alias,
    ['changed', record.id, folder, since, ...places],
    signal,
    LIST_MS,
  );
  const names = allValues(answer, 'file').filter(isInside);
  if (names.length === 0) return [];
  await mkdir(into, { recursive: true });
  await copyFrom(shells, alias, sending(firstValue(answer, 'at') ?? ''), names, into, signal);
  return names.map(name => name.slice(2));
}

const LIST_MS = 60_000;
const STILL_MS = 60_000;

async function copyFrom(
  shells: Shells,
  alias: string,
  script: string,
  names: readonly string[],
  into: string,
  signal: Signal,
): Promise<void> {
  const { talk: remote, isIn } = await shells.start(alias);
  const here = nodeTalk('tar', ['-xzf', '-', '-C', into]);
  const unpacked = ends(here);
  const packed = ends(remote);
  let movedMs = performance.now();
  let head: Buffer | null = Buffer.alloc(0);
  const watch = setInterval(() => {
    if (!signal.aborted && performance.now() - movedMs < STILL_MS) return;
    remote.stop();
    here.stop();
  }, 200);
  let chain = Promise.resolve();
  packed.bytes = bytes => {
    movedMs = performance.now();
    const taken = head === null ? bytes : afterReady((head = Buffer.concat([head, bytes])));
    if (taken === null) return;
    if (head !== null) {
      head = null;
      isIn();
      void remote.write(names.map(name => `${name}\0`).join('')).then(() => remote.end());
    }
    remote.flow(false);
    chain = chain.then(async () => {
      if (taken.length === 0 || (await here.write(taken))) remote.flow(true);
      else remote.stop();
    });
  };
  try {
    await remote.write(script);
    const far = await packed.end;
    await chain;
    here.end();
    const near = await unpacked.end;
    if (signal.aborted) throw new JobError('unreachable', `The download from ${alias} was canceled.`);
    if (far.exitCode !== 0) {
      const { message, text } = sshTrouble({ ...far, noise: '', wasSilent: false }, alias);
      throw new JobError('unreachable', message, text);
    }
    if (near.exitCode !== 0) {
      throw new JobError(
        'disk',
        `Couldn't unpack the download from ${alias} in ${into}.`,
        near.stderr.trim(),
      );
    }
  } finally {
    clearInterval(watch);
    isIn();
    remote.stop();
    here.stop();
  }
}

function afterReady(bytes: Buffer): Buffer | null {
  const at = bytes.indexOf(READY);
  return at < 0 ? null : bytes.subarray(at + READY.length);
}
