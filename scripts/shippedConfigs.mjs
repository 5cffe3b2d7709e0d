// Writes src/core/dialects/shipped/torchtune.json: the configs that torchtune has by name, with the keys that its dialect reads.
//   node scripts/shippedConfigs.mjs PYTHON
// where PYTHON is an interpreter with torchtune and PyYAML. Not part of any build. docs/catalogs.md says when to run it.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';

const file = 'src/core/dialects/shipped/torchtune.json';

/** Keys that say nothing about memory: paths, logs, seeds, sampling. */
const UNREAD =
  /^(?:output_dir|seed|shuffle|resume_from_checkpoint|log_\w+|metric_logger|profiler|lr_scheduler|collate_fn|save_adapter_weights_only|tasks|limit|temperature|top_k|num_steps|gamma|lmbda|kl_coeff|kd_\w+|penalise_no_eos|reward_penalty|stop_token_ids|whiten_rewards|min_response_length|custom_sharded_layers)(?:\.|$)|^optimizer\.(?:lr|weight_decay)$|^loss\.(?!_component_)|^(?:\w+_)?tokenizer\.(?!max_seq_len$|_component_$)|_checkpointer\.(?!_component_$)|^checkpointer|^dataset\._component_$/;

const program = `
import importlib.metadata, json, runpy, yaml
found = importlib.metadata.distribution('torchtune')
registry = runpy.run_path(str(found.locate_file('torchtune/_recipe_registry.py')))
configs = {}
for recipe in registry['_ALL_RECIPES']:
    for config in recipe.configs:
        here = found.locate_file('recipes/configs/' + config.file_path)
        # The registry of 0.6.1 names one file that the wheel lacks.
        if here.exists(): configs[config.name] = yaml.safe_load(here.read_text())
print(json.dumps({'version': found.version, 'configs': configs}))
`;

/** The leaves of a config by their paths; lists are leaves. */
function leaves(keys, prefix = '') {
  return Object.entries(keys).flatMap(([key, value]) => {
    const path = prefix + key;
    if (UNREAD.test(path) || value === null) return [];
    return typeof value === 'object' && !Array.isArray(value) ? leaves(value, `${path}.`) : [[path, value]];
  });
}

/** The value that most configs have for each key, of keys that most configs have. */
function sharedBy(configs) {
  const counts = new Map();
  for (const [key, value] of configs.flat()) {
    const values = counts.get(key) ?? new Map();
    const text = JSON.stringify(value);
    counts.set(key, values.set(text, (values.get(text) ?? 0) + 1));
  }
  const most = [...counts].flatMap(([key, values]) => {
    const [text, count] = [...values].sort((a, b) => b[1] - a[1])[0];
    return count > configs.length / 2 ? [[key, JSON.parse(text)]] : [];
  });
  return Object.fromEntries(most);
}

/** What a config has besides the shared values; null: it lacks the key. */
function besides(shared, own) {
  const lacking = Object.keys(shared).filter(key => !own.some(([name]) => name === key));
  const others = own.filter(([key, value]) => JSON.stringify(shared[key]) !== JSON.stringify(value));
  return Object.fromEntries([...others, ...lacking.map(key => [key, null])]);
}

const python = process.argv[2];
if (!python) {
  console.error('usage: node scripts/shippedConfigs.mjs PYTHON');
  process.exit(3);
}
const run = spawnSync(python, ['-c', program], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
if (run.status !== 0) {
  console.error(`${python} could not read torchtune's configs.`);
  process.exit(1);
}
const { version, configs } = JSON.parse(run.stdout);
const read = Object.entries(configs).map(([name, keys]) => ({ name, own: leaves(keys) }));
const shared = sharedBy(read.map(({ own }) => own));
const lines = read
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .map(({ name, own }) => ` ${JSON.stringify(name)}: ${JSON.stringify(besides(shared, own))}`);
const header = {
  generatedBy: 'scripts/shippedConfigs.mjs',
  from: `torchtune ${version} (BSD-3-Clause), read ${new Date().toISOString().slice(0, 10)}`,
  framework: 'torchtune',
  version,
  folder: 'recipes/configs',
  ending: '.yaml',
  shared,
};
writeFileSync(file, `${JSON.stringify(header).slice(0, -1)},\n"configs": {\n${lines.join(',\n')}\n}}\n`);
console.log(`${file}: ${lines.length} configs of torchtune ${version}`);
