import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import { fileOf, lensesOf, openFile, until, writeFile } from './ask';
import { signalIfThere, signalTo } from '../../signals';

const KEYS = [
  'base_model: NousResearch/Meta-Llama-3-8B',
  'sequence_len: 4096',
  'adapter: lora',
  'lora_r: 32',
  'lora_target_linear: true',
  'micro_batch_size: 2',
  'gradient_accumulation_steps: 4',
  '',
].join('\n');

const times = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('');

const letters = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];

/** Maps of aliases of maps of aliases. */
const aliasBomb = letters
  .map((name, i) => {
    const inner = letters.map((_, k) => `k${k}: ${i === 0 ? 'x' : `*${letters[i - 1] ?? ''}`}`).join(', ');
    return `${name}: &${name} {${inner}}\n`;
  })
  .join('');

const mergeBomb = `b: &b {${times(5000, i => `k${i}: ${i}, `)}}\nall:\n${times(20_000, () => '- <<: *b\n')}`;

const modelOf = (layers: number): string =>
  JSON.stringify({
    model_type: 'llama',
    architectures: ['LlamaForCausalLM'],
    hidden_size: 4096,
    intermediate_size: 11008,
    num_attention_heads: 32,
    num_hidden_layers: layers,
    vocab_size: 32000,
  });

const backtracking = `'(\\w|\\w|\\w|\\w|\\w|\\w|\\w|\\w|\\w|\\w|\\w|\\w)+!'`;

const withModel = (model: string): string => KEYS.replace(/^base_model: .*$/m, `base_model: ./${model}`);

/** What a stranger may have written, and what lies beside it. */
const HOSTILE: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a script of one word beside it': {
    'a.yml': KEYS,
    'run.sh': `echo ${'0'.repeat(100_000)}\n`,
    'secret.yaml': `apiVersion: v1\ndata: ${'A'.repeat(190_000)}\n`,
  },
  'a model of 10,000,000 layers': { 'a.yml': withModel('m'), 'm/config.json': modelOf(10_000_000) },
  'a model of 100,000 layers': { 'a.yml': withModel('m'), 'm/config.json': modelOf(100_000) },
  'an alias bomb': { 'a.yml': aliasBomb + KEYS },
  'a merge bomb': { 'a.yml': mergeBomb + KEYS },
  'a pattern that backtracks': {
    'a.yml': KEYS.replace('lora_target_linear: true', `lora_target_modules: ${backtracking}`),
  },
  "a dialect's signature that backtracks": {
    'a.yml': `${'a'.repeat(64)}b: 1\n${KEYS}`,
    '.headroom/dialects/d.yaml': [
      'name: zz',
      'signature:',
      '  strong: ["key~^(a|a)*$", "/^(a|a)*$/"]',
      'read: { model: base_model }',
      '',
    ].join('\n'),
  },
  '200,000 keys': { 'a.yml': KEYS + times(200_000, i => `key_${i}: ${i}\n`) },
  'long brackets': { 'a.yml': `${KEYS}x: ${'['.repeat(50_000)}\ny: ${'{'.repeat(50_000)}\n` },
  'a list that grows in a shell': {
    'a.sbatch': `#!/bin/bash\n#SBATCH --gres=gpu:1\nA=(x x x)\n${times(30, () => 'A=("${A[@]}" "${A[@]}" "${A[@]}")\n')}python train.py "\${A[@]}"\n`,
  },
  'a script of slashes': { 'a.sh': `#!/bin/bash\n${'/'.repeat(200_000)}\n` },
  'defaults of 20,000': {
    'a.yaml': `defaults:\n${times(20_000, i => `  - group_${i}: option\n`)}model: ./m\nlr: 1e-4\nbatch_size: 4\n`,
  },
  '20,000 lines': { 'a.yml': KEYS + times(20_000, i => `# a comment that is long, of line ${i}\n`) },
};

/** Texts of the same sizes that are nobody's: what VS Code itself does with an open document. */
const HARMLESS: readonly string[] = ['x\n', times(200_000, i => `note ${i}: ${i}\n`)];

const LOOK_MS = 5;

/**
 * The longest that this thread computed at one go, in milliseconds of processor time: on a busy machine it may wait long for its
 * turn, which is nobody's fault. It begins when it is called.
 */
function stallWatch(): () => number {
  let longest = 0;
  let before = process.cpuUsage();
  let at = performance.now();
  const look = (): void => {
    const used = process.cpuUsage(before);
    const waited = performance.now() - at;
    longest = Math.max(longest, Math.min(waited, (used.user + used.system) / 1000));
    before = process.cpuUsage();
    at = performance.now();
  };
  const timer = setInterval(look, LOOK_MS);
  return () => {
    look();
    clearInterval(timer);
    return Math.round(longest);
  };
}

/** Whoever asks for lenses waits for the analysis. */
async function analyzed(uri: vscode.Uri): Promise<readonly string[]> {
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
    'vscode.executeCodeLensProvider',
    uri,
    100,
  );
  return lenses.map(({ command }) => command?.title ?? '');
}

/**
 * How often a file is opened, each time as one that nobody has seen and next to a harmless one of its size, until it holds the thread
 * hardly longer than that one: others run on this machine, too, and the collector comes when it likes.
 */
const TRIES = 6;
const MOST_LONGER_MS = 50;
let folders = 0;

/** Writes a hostile folder to a place of its own; returns its first file. */
async function writeFolder(folder: Readonly<Record<string, string>>): Promise<vscode.Uri> {
  const place = `hostile/${++folders}`;
  for (const [path, text] of Object.entries(folder)) await writeFile(`${place}/${path}`, text);
  return fileOf(`${place}/${Object.keys(folder)[0] ?? ''}`);
}

/** A new file that VS Code alone has to do with. */
const writeHarmless = (text: string): Promise<vscode.Uri> => writeFile(`hostile/own-${++folders}.txt`, text);

async function stallWhileOpening(uri: vscode.Uri): Promise<number> {
  const stall = stallWatch();
  const document = await vscode.workspace.openTextDocument(uri);
  await vscode.window.showTextDocument(document);
  await analyzed(uri);
  return stall();
}

/** Processes of ours that read files, on Linux. */
function workers(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => {
      try {
        const parent = /^PPid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return Number(parent) === process.pid && /dist[\\/]worker\.js/.test(command);
      } catch {
        return false;
      }
    });
}

/** What is analyzed from now on is given up sooner. The extension runs in this process, too. */
function impatient(): void {
  process.env['HEADROOM_ANALYSIS_LIMIT_S'] = '6';
}

function patient(): void {
  delete process.env['HEADROOM_ANALYSIS_LIMIT_S'];
}

describe('untrusted files', function () {
  this.timeout(400_000);

  afterEach(patient);
  afterEach(() => vscode.commands.executeCommand('workbench.action.closeAllEditors'));

  it("block the window's thread at most 50 ms longer than VS Code itself", async () => {
    // Code is loaded once, and that takes its time.
    const warm = await openFile('hostile/warm/a.yml', KEYS);
    await lensesOf(warm.uri, /GiB|GB/);
    impatient();
    const stalls: (readonly [title: string, longer: readonly number[]])[] = [];
    for (const [title, folder] of Object.entries(HOSTILE)) {
      const [small = '', large = ''] = HARMLESS;
      const harmless = (Object.values(folder)[0] ?? '').length > 100_000 ? large : small;
      const longer: number[] = [];
      while (longer.length < TRIES && Math.min(...longer) > MOST_LONGER_MS) {
        const own = await stallWhileOpening(await writeHarmless(harmless));
        longer.push((await stallWhileOpening(await writeFolder(folder))) - own);
      }
      stalls.push([title, longer]);
    }
    console.log(`ms longer: ${stalls.map(([title, longer]) => `${title} ${longer.join(' ')}`).join(', ')}`);
    assert.deepEqual(
      stalls.filter(([, longer]) => Math.min(...longer) > MOST_LONGER_MS),
      [],
    );
    patient();
    const next = await openFile('hostile/next/a.yml', KEYS);
    await lensesOf(next.uri, /GiB|GB/);
  });

  it('cost only the worker that times out, and other files get their answers', async function () {
    if (process.platform !== 'linux') this.skip();
    const warm = await openFile('hostile/warm/b.yml', KEYS);
    await lensesOf(warm.uri, /GiB|GB/);
    const stopped = workers();
    assert.notEqual(stopped.length, 0);
    impatient();
    // From outside a process that computes for ever looks the same.
    for (const pid of stopped) signalTo(pid, 'SIGSTOP');
    // A file for each of them, so that the next one finds none that is stopped.
    for (const pid of stopped) await openFile(`hostile/warm/hung-${pid}.yml`, KEYS);
    await until('their end', () => Promise.resolve(!workers().some(pid => stopped.includes(pid))));
    patient();
    const next = await openFile('hostile/warm/next.yml', KEYS);
    await lensesOf(next.uri, /GiB|GB/);
  });

  it('are not tried again after a worker ended at them, until they change', async function () {
    if (process.platform !== 'linux') this.skip();
    const warm = await openFile('hostile/warm/c.yml', KEYS);
    await lensesOf(warm.uri, /GiB|GB/);
    const killing = setInterval(() => {
      for (const pid of workers()) signalIfThere(pid, 'SIGKILL');
    }, 10);
    const file = await openFile('hostile/warm/ended.yml', KEYS);
    const first = await analyzed(file.uri).finally(() => clearInterval(killing));
    assert.deepEqual(first, []);
    // Nothing is wrong with the file: if it was tried again, it would have an answer.
    for (let times = 0; times < 3; times++) {
      await new Promise(resolve => setTimeout(resolve, 500));
      assert.deepEqual(await analyzed(file.uri), []);
    }
    await vscode.window.showTextDocument(file);
    await vscode.commands.executeCommand('type', { text: '\n' });
    await lensesOf(file.uri, /GiB|GB/);
  });
});
