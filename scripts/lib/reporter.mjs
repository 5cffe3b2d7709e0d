// Mocha's two views of a run at once: text for people, and the JSON file that scripts/test.mjs counts from.
// Reporter options: `output`, the JSON file; `text`, a file to take the text instead of the console.
import Mocha from 'mocha';
import { appendFileSync } from 'node:fs';
import { format } from 'node:util';

const { Base, Spec, JSON: Json } = Mocha.reporters;

export default class SpecAndJson extends Spec {
  constructor(runner, options) {
    const { output, text } = options.reporterOption ?? {};
    if (text) Base.consoleLog = (...parts) => appendFileSync(text, `${format(...parts)}\n`);
    super(runner, options);
    if (output) new Json(runner, options);
  }
}
