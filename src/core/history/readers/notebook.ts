import { join } from '../../text/paths';
import { isRecord, parsedJson } from '../../text/json';
import type { LogReader, LoggedSpeed } from '../logs';
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
      const cells = parsedJson(text);
      const output = outputsOf(cells, PRINTED);
      const bar = barIn(outputsOf(cells, SHOWN));
      if (output === '' && bar === null) continue;
      const facts = factsOfOutput(output);
      const scalars = resultsIn(output);
      const speed = scalars.speed() ?? bar?.speed ?? facts.speed;
      if (facts.peaks.length === 0 && speed === null) continue;
      const run = join(path, name);
      found.push({
        ...noFacts('notebook', run),
        ...facts,
        speed,
        steps: scalars.steps() ?? bar?.steps ?? facts.steps,
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

const PRINTED = ['text/plain'];
const SHOWN = ['text/html'];

/** Everything that the cells printed, or showed in another form. */
function outputsOf(notebook: unknown, forms: readonly string[]): string {
  const cells = isRecord(notebook) && Array.isArray(notebook['cells']) ? notebook['cells'] : [];
  const parts: string[] = [];
  let left = MOST_OUTPUT;
  for (const cell of cells) {
    const outputs = isRecord(cell) && Array.isArray(cell['outputs']) ? cell['outputs'] : [];
    for (const output of outputs) {
      if (!isRecord(output) || left <= 0) continue;
      const data = isRecord(output['data']) ? output['data'] : {};
      const printed = forms === PRINTED ? textIn(output['text']) : '';
      const text = `${printed}${forms.map(form => textIn(data[form])).join('')}`.slice(0, left);
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

/**
 * The bar of transformers' NotebookProgressCallback (transformers/utils/notebook.py): `[60/60 02:39, Epoch 1/2]`, or
 * `[19/16058 00:42 < 11:01:29, 0.40 it/s, Epoch 0.00/1]` where a run was stopped. Only the bar of training names an epoch; of
 * several trainings, the one with the most steps is the run.
 */
const BAR =
  /\[\s{0,12}(\d{1,12})\/\d{1,12} ((?:\d{1,6}:)?\d{1,2}:\d{2})(?: < [^,\]\n]{1,20})?(?:, ([\d.]{1,12}) it\/s)?, Epoch /g;

function barIn(html: string): { readonly steps: number; readonly speed: LoggedSpeed } | null {
  const bars = [...html.matchAll(BAR)].map(([, step = '', elapsed = '', rate = '']) => ({
    steps: Number(step),
    rate: Number(rate),
    seconds: elapsed.split(':').reduce((sum, part) => sum * 60 + Number(part), 0),
  }));
  const [longest] = bars.toSorted((a, b) => b.steps - a.steps);
  if (!longest || longest.steps === 0 || longest.seconds === 0) return null;
  // A bar that was stopped says the rate, without the steps before its first drawing (notebook.py, start_value).
  const { steps, seconds, rate } = longest;
  return {
    steps,
    speed: { secondsPerStep: rate > 0 ? 1 / rate : seconds / steps, from: 'the progress bar', isWhole: true },
  };
}
