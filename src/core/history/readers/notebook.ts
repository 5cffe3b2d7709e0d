import { join } from '../../text/paths';
import { isRecord, parsedJson } from '../../text/json';
import type { LogReader } from '../logs';
import { noFacts } from '../logs';
import { factsOfOutput } from '../outputFacts';
import { Scalars } from '../scalars';

/** The most characters of outputs that are read of a notebook. */
const MOST_OUTPUT = 4_000_000;

/** Jupyter notebooks (nbformat 4) with outputs of a training. */
export const notebook: LogReader = {
  async read({ path, names }, files) {
    const found = [];
    for (const name of names.filter(one => one.endsWith('.ipynb')).slice(0, 200)) {
      const text = (await files.text(join(path, name))) ?? '';
      const output = outputsOf(parsedJson(text));
      if (output === '') continue;
      const facts = factsOfOutput(output);
      const scalars = resultsIn(output);
      const speed = scalars.speed() ?? facts.speed;
      if (facts.peaks.length === 0 && speed === null) continue;
      const run = join(path, name);
      found.push({
        ...noFacts('notebook', run),
        ...facts,
        speed,
        steps: scalars.steps() ?? facts.steps,
        configs: [{ path: run, text }],
      });
    }
    return found;
  },
};

const textIn = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Array.isArray(value)
      ? value.filter(one => typeof one === 'string').join('')
      : '';

/** Everything that the cells printed. */
function outputsOf(notebook: unknown): string {
  const cells = isRecord(notebook) && Array.isArray(notebook['cells']) ? notebook['cells'] : [];
  const parts: string[] = [];
  let left = MOST_OUTPUT;
  for (const cell of cells) {
    const outputs = isRecord(cell) && Array.isArray(cell['outputs']) ? cell['outputs'] : [];
    for (const output of outputs) {
      if (!isRecord(output) || left <= 0) continue;
      const data = isRecord(output['data']) ? output['data'] : {};
      const text = `${textIn(output['text'])}${textIn(data['text/plain'])}`.slice(0, left);
      left -= text.length;
      if (text !== '') parts.push(text);
    }
  }
  return parts.join('\n');
}

/** `TrainOutput(global_step=60, …, metrics={'train_runtime': 412.8, …})`, as Python prints it. */
function resultsIn(output: string): Scalars {
  const scalars = new Scalars();
  for (const [, step = '', metrics = ''] of output.matchAll(
    /TrainOutput\(global_step=(\d{1,12}),[^{}\n]{0,200}metrics=\{([^{}]{0,2000})\}/g,
  )) {
    scalars.add('global_step', Number(step));
    for (const [, name = '', value = ''] of metrics.matchAll(/'(\w{1,60})': ([-+.\de]{1,30})/g)) {
      scalars.add(name, Number(value));
    }
  }
  return scalars;
}
