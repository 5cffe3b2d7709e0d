// How the steps of the action start Headroom and report.
import { spawnSync } from 'node:child_process';

/** An input of the action: '' if it is not set. */
export const input = name => (process.env[`HEADROOM_${name}`] ?? '').trim();

/** A message and a property of a workflow command, in which line ends and delimiters are escaped. */
export const data = text =>
  String(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
export const property = text => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Ends the action with one sentence. */
export function fail(text) {
  process.stdout.write(`::error::${data(text)}\n`);
  process.exit(3);
}

/** The words that start Headroom: the published package, unless an input names a program. */
function program() {
  const own = input('COMMAND');
  return own === '' ? ['npx', '--yes', `gpu-headroom@${input('VERSION') || 'latest'}`] : JSON.parse(own);
}

/** What Headroom prints, and its exit code; bad usage and unreadable input end the action. */
export function headroom(...args) {
  const [command, ...words] = program();
  const all = [command, ...words, ...args];
  // On Windows, npx is a batch file, which only a shell starts; the words stay arguments.
  const [first, ...rest] = process.platform === 'win32' ? ['bash', '-c', '"$0" "$@"', ...all] : all;
  const options = { encoding: 'utf8', maxBuffer: 2 ** 28 };
  const { status, stdout, stderr, error } = spawnSync(first, rest, options);
  if (error || status === null || status > 2) {
    fail(`headroom ${args[0]}: ${(stderr || String(error)).trim()}`);
  }
  return { status, stdout };
}

/** The options for the target GPU. */
export const target = () => [
  ...(input('GPU') ? ['--gpu', input('GPU')] : []),
  ...(input('GPUS') ? ['--gpus', input('GPUS')] : []),
];
