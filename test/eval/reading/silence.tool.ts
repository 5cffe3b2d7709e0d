// npm run --silent silence -- --dir DIR --json Findings on YAML that is unrelated to GPUs: there should be none,
// and no file should be recognized as a config.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { analyze } from '../../../src/core/analyse/analyse';
import type { World } from '../../../src/core/analyse/world';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { UsageError, runTool } from '../toolArguments';
import type { Given } from '../toolArguments';

interface Silence {
  files: number;
  recognised: number;
  findings: number;
  errors: number;
  slowestMs: number;
}

const world: World = {
  files: new NodeFiles('/'),
  models: { find: () => Promise.resolve({ model: null, why: null, dependencies: [] }) },
};

async function look(path: string, sum: Silence): Promise<void> {
  const text = readFileSync(path, 'utf8');
  const start = performance.now();
  try {
    const options = { target: null, severities: {} };
    const { dialect, runs, findings } = await analyze(path, text, world, options, { aborted: false });
    const found = findings.length + runs.reduce((total, run) => total + run.findings.length, 0);
    if (dialect !== null) sum.recognised += 1;
    sum.findings += found;
    if (dialect !== null || found > 0) {
      console.error(`${path}: ${dialect ?? 'no dialect'}, ${found} findings`);
    }
  } catch (error) {
    sum.errors += 1;
    console.error(`${path}: ${String(error)}`);
  }
  sum.slowestMs = Math.max(sum.slowestMs, performance.now() - start);
}

async function main(given: Given): Promise<number> {
  const files = given.paths('dir', 'folder').flatMap(filesIn);
  const sum: Silence = { files: files.length, recognised: 0, findings: 0, errors: 0, slowestMs: 0 };
  for (const file of files) await look(file, sum);
  const result = { ...sum, slowestMs: Math.round(sum.slowestMs * 10) / 10 };
  console.log(given.has('json') ? JSON.stringify(result) : JSON.stringify(result, null, 2));
  return 0;
}

function filesIn(dir: string): readonly string[] {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(name => /\.(?:ya?ml|json)(?:\.\w+)?$/i.test(name))
    .sort();
  if (names.length === 0) throw new UsageError(`${dir} holds no YAML and no JSON: name a folder that does.`);
  return names.map(name => join(dir, name));
}

void runTool({ many: ['dir'], none: ['json'] }, main);
