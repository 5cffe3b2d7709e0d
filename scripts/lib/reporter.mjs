// Two of mocha's reporters at once: text for people, and the JSON file that scripts/test.mjs counts from. Reporter
// options: `output`, the JSON file; `text`, a file for the text instead of the console.
import Mocha from 'mocha';
import { appendFileSync } from 'node:fs';
import { format } from 'node:util';
import { inSources } from './inSources.mjs';

const { Base, Spec, JSON: Json } = Mocha.reporters;
const { EVENT_TEST_FAIL } = Mocha.Runner.constants;

export default class SpecAndJson extends Spec {
  constructor(runner, options) {
    const { output, text } = options.reporterOption ?? {};
    if (text) Base.consoleLog = (...parts) => appendFileSync(text, `${format(...parts)}\n`);
    // Registered before the listeners of both reporters.
    runner.on(EVENT_TEST_FAIL, (test, error) => {
      if (typeof error?.stack === 'string') error.stack = inSources(error.stack);
    });
    super(runner, options);
    if (output) new Json(runner, options);
  }
}
