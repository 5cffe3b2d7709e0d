import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Dice } from './dice';
import { descriptionText, dialectConfig, dialectText, measurementsText } from './grammar/dialect';
import { hydraFiles } from './grammar/hydra';
import { modelFiles } from './grammar/models';
import { ID, logText, recordText } from './grammar/records';
import { notebookText, pythonText } from './grammar/python';
import { historyFiles } from './grammar/history';
import { networkConfig, networkText } from './grammar/network';
import { shellText } from './grammar/shell';
import { json, key, mutated, word } from './grammar/words';
import { tomlText } from './grammar/toml';
import { yamlText } from './grammar/yaml';

/** Files of a folder that a stranger wrote. */
interface FuzzInput {
  readonly kind: Kind;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** What is looked at of them. */
  readonly opened: readonly string[];
}

export const KINDS = [
  'yaml',
  'toml',
  'real',
  'hydra',
  'shell',
  'json',
  'model',
  'dialect',
  'record',
  'log',
  'python',
  'network',
  'history',
] as const;

export type Kind = (typeof KINDS)[number];

type Make = (dice: Dice) => Omit<FuzzInput, 'kind'>;

const AXOLOTL =
  'base_model: ./m\nmicro_batch_size: 1\nsequence_len: 128\nadapter: lora\nlora_r: 8\noptimizer: adamw_torch\n';

const MAKERS: Readonly<Record<Kind, Make>> = {
  yaml: dice => ({ files: { 'a.yaml': yamlText(dice) }, opened: ['a.yaml'] }),
  toml: dice => ({ files: { 'a.toml': tomlText(dice) }, opened: ['a.toml'] }),
  real: dice => {
    const { name, text } = dice.pick(realConfigs());
    return { files: { [name]: mutated(dice, text) }, opened: [name] };
  },
  hydra: dice => ({ files: hydraFiles(dice), opened: ['conf/config.yaml'] }),
  shell: dice => {
    const name = dice.pick(['run.sh', 'job.sbatch']);
    return {
      files: { [name]: shellText(dice), 'a.yml': AXOLOTL, 'm/config.json': '{}' },
      opened: [name, 'a.yml'],
    };
  },
  json: dice => {
    const reference = `${AXOLOTL}deepspeed: ds.json\n${key(dice) || 'x'}: ${JSON.stringify(word(dice))}\n`;
    const text = JSON.stringify({
      zero_optimization: json(dice),
      train_batch_size: json(dice),
      [key(dice)]: json(dice),
    });
    return {
      files: { 'ds.json': dice.chance(0.2) ? mutated(dice, text) : text, 'a.yaml': reference },
      opened: ['a.yaml', 'ds.json'],
    };
  },
  model: dice => ({
    files: { ...modelFiles(dice, 'm'), 'a.yaml': dice.chance(0.7) ? AXOLOTL : mutated(dice, AXOLOTL) },
    opened: ['a.yaml', 'm/config.json'],
  }),
  dialect: dice => ({
    files: {
      '.headroom/dialects/zz.yaml': dialectText(dice),
      'a.yaml': dialectConfig(dice),
      'm/config.json':
        '{"model_type":"llama","num_hidden_layers":2,"hidden_size":64,"num_attention_heads":4,"vocab_size":100,"intermediate_size":128}',
      ...(dice.chance(0.2) ? { '.headroom/models/m.yaml': descriptionText(dice) } : {}),
      ...(dice.chance(0.2) ? { '.headroom/measurements.jsonl': measurementsText(dice) } : {}),
    },
    opened: ['a.yaml', '.headroom/dialects/zz.yaml'],
  }),
  record: dice => ({
    files: {
      [`state/jobs/${ID}/job.json`]: recordText(dice),
      [`state/jobs/${ID}/output.log`]: logText(dice),
    },
    opened: [],
  }),
  python: dice => {
    const files = { 'a.py': pythonText(dice), 'a.ipynb': notebookText(dice) };
    return { files, opened: ['a.py', 'a.ipynb'] };
  },
  network: dice => ({
    files: { 'a.yaml': networkConfig(dice), 'net.py': networkText(dice) },
    opened: ['a.yaml'],
  }),
  history: dice => ({ files: historyFiles(dice), opened: [] }),
  log: dice => ({ files: { 'output.log': logText(dice) }, opened: [] }),
};

/** The input of a seed: always the same. `kind`: of this kind only. */
export function inputOf(seed: number, kind: Kind | null): FuzzInput {
  const dice = new Dice(seed);
  const drawn = dice.pick(KINDS);
  const made = kind ?? drawn;
  return { kind: made, ...MAKERS[made](dice) };
}

const CONFIGS = 'test/fixtures/configs';
const MOST_CHARACTERS = 6000;
let configs: readonly { readonly name: string; readonly text: string }[] | null = null;

/** Configs of other projects, which are damaged; the longest take too long to be read often. */
function realConfigs(): readonly { readonly name: string; readonly text: string }[] {
  configs ??= readdirSync(CONFIGS, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:ya?ml|json|sh|sbatch)$/.test(name))
    .sort()
    .map(name => ({
      name: name.replaceAll('\\', '/').split('/').slice(-2).join('/'),
      text: readFileSync(join(CONFIGS, name), 'utf8'),
    }))
    .filter(({ text }) => text.length < MOST_CHARACTERS);
  return configs;
}
