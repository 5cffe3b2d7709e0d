import { readFileSync } from 'node:fs';
import { analyze } from '../../../src/core/analyse/analyse';
import type { RunAnalysis } from '../../../src/core/rules/analysis';
import { parseTarget } from '../../../src/core/hardware/target';
import type { Target } from '../../../src/core/hardware/gpu';
import { alternativesTo } from '../../../src/core/plan/modelSizes';
import { DEFAULT_MARGIN } from '../../../src/core/plan/plan';
import { searchPlans } from '../../../src/core/plan/search';
import type { World } from '../../../src/core/analyse/world';
import { fileAsJson, plansAsJson } from '../../../src/core/render/json';
import type { Json } from '../../../src/core/text/json';
import { Catalogs } from '../../../src/world/catalogs';
import { Definitions } from '../../../src/world/definitions';
import { corePath } from '../../../src/world/environment';
import { Launchers } from '../../../src/world/launchers';
import { Models } from '../../../src/world/models';
import { NodeFiles } from '../../../src/world/nodeFiles';
import { english } from '../../../src/core/text/say';

/** A consumer card and a data center card. */
const GPUS = ['RTX 4090', 'H100 SXM 80GB'];
const NEVER = { aborted: false };

/** By file, then by GPU. */
export type Answers = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** All answers for files: readings, estimates, findings, plans. Paths are relative to the project's root. */
export async function answersFor(files: readonly string[], root: string): Promise<Answers> {
  const catalogs = new Catalogs(corePath(`${root}/dist/data`));
  const gpus = await catalogs.gpus();
  const targets = GPUS.map(name => {
    const reading = parseTarget(name, gpus, { count: null, nodes: 1 });
    if (!reading.ok) throw new Error(reading.why);
    return [name, reading.target] as const;
  });
  const world = worldOf(catalogs, root, name => {
    const found = parseTarget(name, gpus, { count: null, nodes: 1 });
    return found.ok ? found.target : null;
  });
  const answers: Record<string, Record<string, Json>> = {};
  for (const file of files) {
    const answer: Record<string, Json> = {};
    for (const [name, target] of targets) {
      answer[name] = withoutRoot(await answerFor(file, world, target), root);
    }
    answers[withoutRoot(file, root) as string] = answer;
  }
  return answers;
}

function worldOf(catalogs: Catalogs, root: string, gpuNamed: (name: string) => Target | null): World {
  const files = new NodeFiles(root);
  // No user cache, so that every machine gives the same answers.
  const environment = { variables: {}, home: '/nonexistent', workingFolder: root };
  return {
    files,
    models: new Models(files, catalogs, environment),
    gpuNamed: name => Promise.resolve(gpuNamed(name)),
    definitions: new Definitions(files),
    launchers: new Launchers(files, path => path.slice(0, path.lastIndexOf('/'))),
  };
}

async function answerFor(file: string, world: World, target: Target): Promise<Json> {
  const analysis = await analyze(
    corePath(file),
    readFileSync(file, 'utf8'),
    world,
    { target, severities: {} },
    NEVER,
  );
  const plans: Json[] = [];
  for (const run of analysis.runs) {
    if (run.estimate !== null) plans.push(await plansFor(file, run, world, target));
  }
  return { analysis: withoutTime(fileAsJson(analysis)), plans };
}

/** Time has a tool of its own (`npm run speed`): its constants may be fitted again. */
const TIME = new Set(['speed', 'maxSteps', 'epochs']);

const withoutTime = (answer: Json): Json =>
  JSON.parse(JSON.stringify(answer), (key, value: Json) => (TIME.has(key) ? undefined : value)) as Json;

async function plansFor(file: string, run: RunAnalysis, world: World, target: Target): Promise<Json> {
  const context = {
    run: run.run,
    model: run.model,
    target: run.target ?? target,
    estimate: run.estimate,
    samplesPerGpu: null,
    say: english,
    alternatives: await alternativesTo(run.run, world.models),
  };
  const wishes = {
    goal: run.verdict === 'fits' ? 'fill' : 'fit',
    margin: DEFAULT_MARGIN,
    mayTrade: true,
  } as const;
  const search = await searchPlans(context, wishes, () => Promise.resolve(), NEVER);
  return plansAsJson(file, run, search);
}

/** Absolute paths and the name of the clone's folder differ from clone to clone. */
function withoutRoot(answer: Json, root: string): Json {
  const above = root.replace(/[^/]*$/, '');
  return JSON.parse(JSON.stringify(answer).replaceAll(`${root}/`, '').replaceAll(above, '')) as Json;
}
