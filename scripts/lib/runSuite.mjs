// Runs one suite of npm test to its end and counts what it found.
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { run } from './processes.mjs';
import { root } from './root.mjs';
import { SKIPPED } from './suite.mjs';

const FLAW_LINES = 6;
const FLAW_CHARACTERS = 800;

const nothing = { passed: 0, failed: 0, skipped: 0 };

function resultsOf({ results }) {
  if (!results || !existsSync(resolve(root, results))) return null;
  return JSON.parse(readFileSync(resolve(root, results), 'utf8'));
}

/** Runs it, and says when it was ended for being slow. */
async function attempt(suite, echo) {
  if (suite.results) rmSync(resolve(root, suite.results), { force: true });
  const options = { cwd: root, timeoutMs: suite.limitMs, lastSignal: 'SIGTERM', echo };
  const { status, timedOut, output } = await run(process.execPath, suite.node, options);
  const late = timedOut ? `${suite.name} was ended: it took longer than ${suite.limitMs / 1000} s` : '';
  return { status, found: resultsOf(suite), text: [output, late].filter(Boolean).join('\n') };
}

/** A suite that ended badly without a failed test has failed all the same: it broke off, or could not begin. */
function counted({ results }, status, found) {
  if (status === SKIPPED) return { skipped: 1 };
  const bad = status === 0 ? 0 : 1;
  if (!results) return { passed: 1 - bad, failed: bad };
  if (!found) return { failed: 1 };
  const { passes, failures, pending } = found.stats;
  return { passed: passes, failed: Math.max(failures, bad), skipped: pending };
}

/** The files in which something failed; none where mocha does not know them all. */
function failedFiles(found) {
  const files = (found?.failures ?? []).map(({ file }) => file);
  return files.every(Boolean) ? [...new Set(files)].sort() : [];
}

/**
 * Titles that passed when their file was run once more. It tells a race with the machine from what is broken: what passed
 * then counts as passed, and is named with what failed first.
 */
async function passedAgain(suite, found, echo) {
  const files = suite.waits ? failedFiles(found) : [];
  if (files.length === 0) return new Set();
  process.stdout.write(`-- ${suite.name}: ${files.map(file => basename(file)).join(', ')} run again\n`);
  const again = await attempt({ ...suite, node: [...suite.node, '--again', ...files] }, echo);
  return new Set((again.found?.passes ?? []).map(({ fullTitle }) => fullTitle));
}

/** Who looks at a log sees its end first: what failed, of all suites, said in a few lines each. */
function flawOf({ name }, { fullTitle, err }, then = '') {
  const lines = (err?.message ?? '').split('\n').slice(0, FLAW_LINES);
  return `${name}: ${fullTitle}${then}\n    ${lines.join('\n    ').slice(0, FLAW_CHARACTERS)}`;
}

/** Why a suite did not run here: what it said last. */
const absenceOf = ({ name }, text) =>
  `${name}: ${/^skipped: (.*)$/m.exec(text)?.[1] ?? 'it cannot run here'}`;

/**
 * Runs a suite: what it counts, what failed in it, what failed and then passed, why it was skipped, what it said. `echo`: as
 * it says it.
 */
export async function runSuite(suite, { echo }) {
  const started = Date.now();
  const { status, found, text } = await attempt(suite, echo);
  const counts = { ...nothing, ...counted(suite, status, found) };
  const passedThen = await passedAgain(suite, found, echo);
  const failures = found?.failures ?? [];
  const isFlaky = ({ fullTitle }) => passedThen.has(fullTitle);
  const flaky = failures.filter(isFlaky).map(failure => flawOf(suite, failure, ': failed, then passed'));
  const flaws = failures.filter(failure => !isFlaky(failure)).map(failure => flawOf(suite, failure));
  if (failures.length === 0 && counts.failed > 0) flaws.push(`${suite.name}: ended badly: see above`);
  return {
    ...counts,
    passed: counts.passed + flaky.length,
    failed: counts.failed - flaky.length,
    text,
    seconds: (Date.now() - started) / 1000,
    flaky,
    flaws,
    absences: status === SKIPPED ? [absenceOf(suite, text)] : [],
  };
}
