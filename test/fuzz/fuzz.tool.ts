import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTool, UsageError } from '../eval/toolArguments';
import type { Given } from '../eval/toolArguments';
import { KINDS } from './inputs';
import type { Kind } from './inputs';
import { lookAt, PIPE, writeInput } from './oneInput';
import type { Written } from './oneInput';
import { LIMITS, Looker } from './watch';

/*
 * npm run --silent fuzz -- [--seed N] [--count N] [--kind KIND] [--for SECONDS] [--keep DIR] [--json]
 * Hostile inputs by the grammars of this folder, each read, judged and shown as `headroom check`, `explain` and the editor do. Input n
 * of a run has the seed N + n: `--seed` of a finding with `--count 1` is that input again, `--keep` leaves its files.
 */

const SERVE = '--serve';

interface Found {
  readonly seed: number;
  readonly kind: Kind;
  readonly problem: string;
}

interface Figures {
  readonly seed: number;
  inputs: number;
  readonly kinds: Record<string, number>;
  slowest: { readonly seed: number; readonly ms: number };
  residentMB: number;
  readonly findings: Found[];
}

async function main(given: Given): Promise<number> {
  const seed = wholeOf(given, 'seed') ?? Math.floor(Math.random() * 2 ** 30);
  const count = wholeOf(given, 'count') ?? 1000;
  const endMs = Date.now() + (wholeOf(given, 'for') ?? Infinity) * 1000;
  const kind = kindOf(given.one('kind'));
  const isJson = given.has('json');
  const within = given.one('keep') ?? mkdtempSync(join(tmpdir(), 'headroom-fuzz-'));
  if (!isJson) process.stdout.write(`seed ${seed}\n`);
  const looker = new Looker(__filename, [SERVE, within]);
  const figures: Figures = {
    seed,
    inputs: 0,
    kinds: {},
    slowest: { seed, ms: 0 },
    residentMB: 0,
    findings: [],
  };
  try {
    makePipe(within);
    for (let n = 0; n < count && Date.now() < endMs; n++) {
      const before = figures.findings.length;
      const input = await writeInput(seed + n, kind, within);
      await one(looker, input, figures);
      const found = figures.findings.slice(before);
      if (!isJson) found.forEach(tell);
      if (found.length === 0 || !given.has('keep')) await rm(input.folder, { recursive: true, force: true });
    }
  } finally {
    looker.end();
    if (!given.has('keep')) rmSync(within, { recursive: true, force: true });
  }
  process.stdout.write(isJson ? `${JSON.stringify(figures, null, 2)}\n` : summary(figures));
  return figures.findings.length > 0 ? 1 : 0;
}

async function one(looker: Looker, input: Written, figures: Figures): Promise<void> {
  const { seed, kind } = input;
  const found = await looker.look(input);
  figures.inputs += 1;
  if ('problem' in found) {
    figures.findings.push({ seed, kind, problem: found.problem });
    return;
  }
  const { cpuMs, residentMB, problems } = found;
  figures.kinds[kind] = (figures.kinds[kind] ?? 0) + 1;
  if (cpuMs > figures.slowest.ms) figures.slowest = { seed, ms: cpuMs };
  figures.residentMB = Math.max(figures.residentMB, residentMB);
  for (const problem of problems) figures.findings.push({ seed, kind, problem });
  if (residentMB <= LIMITS.residentMB) return;
  figures.findings.push({ seed, kind, problem: `memory: ${residentMB} MB` });
  looker.end();
}

const tell = ({ seed, kind, problem }: Found): void =>
  void process.stdout.write(`--seed ${seed} --count 1 (${kind}): ${problem.slice(0, 1500)}\n`);

function summary({ seed, inputs, kinds, slowest, residentMB, findings }: Figures): string {
  const by = Object.entries(kinds).map(([kind, count]) => `${kind} ${count}`);
  return (
    `seed ${seed}: ${inputs} inputs (${by.join(', ')}), ${findings.length} findings; ` +
    `the slowest (--seed ${slowest.seed}) took ${slowest.ms} ms of processor time, the most memory was ${residentMB} MB\n`
  );
}

function wholeOf(given: Given, flag: string): number | null {
  const text = given.one(flag);
  if (text === null) return null;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new UsageError(`--${flag} ${text}: it takes a whole number.`);
}

function kindOf(text: string | null): Kind | null {
  const found = KINDS.find(kind => kind === text) ?? null;
  if (found === null && text !== null) throw new UsageError(`--kind ${text}: there are ${KINDS.join(', ')}.`);
  return found;
}

function makePipe(folder: string): void {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mkfifo', [join(folder, PIPE)], { stdio: 'ignore', timeout: 10_000 });
  } catch {
    // Systems without pipes that have names have one attack less.
  }
}

/** What the process does that takes inputs. */
function serve([within = '']: readonly string[]): void {
  const answer = async (input: Written): Promise<void> => {
    const before = process.cpuUsage();
    const problems = await lookAt(input);
    const { user, system } = process.cpuUsage(before);
    const residentMB = Math.round(process.resourceUsage().maxRSS / 1000);
    process.send?.({ problems, cpuMs: Math.round((user + system) / 1000), residentMB });
  };
  process.on('message', (input: Written) => void answer(input));
  void loadAll(within).then(() => process.send?.('ready'));
}

/** Looks at an input before the first: what is loaded once counts for no input. */
async function loadAll(within: string): Promise<void> {
  const input = await writeInput(1, 'real', within);
  await lookAt(input);
  await rm(input.folder, { recursive: true, force: true });
}

const [, , first, ...rest] = process.argv;
if (first === SERVE) serve(rest);
else void runTool({ one: ['seed', 'count', 'kind', 'for', 'keep'], none: ['json'] }, main);
