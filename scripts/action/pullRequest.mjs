// The GitHub Action (action.yml): what a pull request does to the memory of the runs, as one comment, annotations, a
// summary and outputs. Node built-ins only. Its inputs are environment variables, so that no text of a pull request
// becomes part of a command.
import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import { comment } from './comments.mjs';
import { data, fail, headroom, input, property, target } from './headroom.mjs';

const { env } = process;

const MODES = ['update', 'new', 'hide-and-new', 'delete-and-new', 'off'];

/** What is compared: the commits of the event, unless the inputs name others. */
function revisions(event) {
  const request = event.pull_request;
  const base = input('BASE') || request?.base?.sha || event.before || '';
  if (base === '') fail('There is nothing to compare with: set the input base.');
  const head = input('HEAD') || request?.head?.sha || 'HEAD';
  // What others changed on the base since then is not part of this change.
  const { status, stdout } = spawnSync('git', ['merge-base', '--end-of-options', base, head], {
    encoding: 'utf8',
  });
  return [status === 0 ? stdout.trim() : base, head];
}

function event() {
  const path = env.GITHUB_EVENT_PATH;
  return path ? JSON.parse(readFileSync(path, 'utf8')) : {};
}

/** An annotation for each run that got worse, on its config. */
function annotate(changes) {
  for (const { file, run, worse, after } of changes) {
    if (!worse) continue;
    const exceeds = after.verdict === 'exceeds';
    const name = run === '' ? '' : `${run}: `;
    const need = after.bytes ? `, ≈ ${(after.bytes.expected / 2 ** 30).toFixed(1)} GB` : '';
    const on = after.gpu ? ` on ${after.gpu}` : '';
    const text = `${name}${exceeds ? 'does not fit' : 'is tight'}${on}${need}`;
    process.stdout.write(
      `::${exceeds ? 'error' : 'warning'} file=${property(file)},title=GPU memory::${data(text)}\n`,
    );
  }
}

function output(values) {
  if (!env.GITHUB_OUTPUT) return;
  const lines = Object.entries(values).map(([name, value]) => `${name}=${value}\n`);
  appendFileSync(env.GITHUB_OUTPUT, lines.join(''));
}

async function main() {
  const mode = input('COMMENT') || 'update';
  if (!MODES.includes(mode)) fail(`comment: ${mode} is not one of ${MODES.join(', ')}.`);
  const happened = event();
  const [base, head] = revisions(happened);
  const options = [...target(), '--fail-on', input('FAIL_ON') || 'exceeds'];
  const { status, stdout } = headroom('diff', base, head, '--json', ...options);
  const { changes } = JSON.parse(stdout);
  const text =
    changes.length === 0 ? '' : headroom('diff', base, head, '--markdown', ...options).stdout.trim();
  annotate(changes);
  if (text !== '' && env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`);
  output({ changed: changes.length > 0, worse: changes.filter(({ worse }) => worse).length });
  const number = happened.pull_request?.number;
  if (mode !== 'off' && number !== undefined) {
    const place = {
      api: env.GITHUB_API_URL,
      graphql: env.GITHUB_GRAPHQL_URL,
      repository: env.GITHUB_REPOSITORY,
    };
    const problem = await comment({ ...place, token: input('TOKEN'), number, mode, text });
    if (problem !== null) process.stdout.write(`::warning::${data(problem)}\n`);
  }
  process.exitCode = status === 1 ? 1 : 0;
}

await main();
