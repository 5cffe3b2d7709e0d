import { whole } from '../command/located';
import { installedBy, releaseOfImage } from '../command/pins';
import type { Pins } from '../command/pins';
import { scriptOf } from '../command/shell';
import type { Variables } from '../command/shellValues';

/** What one stage of a Dockerfile adds to its base. */
interface Stage {
  readonly name: string;
  readonly pins: Map<string, string>;
}

const INSTRUCTION = /^\s{0,40}(FROM|ARG|ENV|RUN)\s{1,40}(\S.{0,8000})$/i;

/**
 * The releases in the image that a Dockerfile builds: those of the last stage, where a later installation replaces
 * what the base has. Earlier stages count for what the last one does not state, since it may copy from them.
 */
export function dockerPins(text: string): Pins {
  const stages: Stage[] = [];
  let variables: Variables = new Map();
  for (const line of instructionsIn(text)) {
    const [, key = '', rest = ''] = INSTRUCTION.exec(line) ?? [];
    if (/^FROM$/i.test(key)) stages.push(stageFrom(rest, variables, stages));
    if (/^(?:ARG|ENV)$/i.test(key)) variables = scriptOf(whole(assignment(rest)), variables).variables;
    if (!/^RUN$/i.test(key)) continue;
    if (stages.length === 0) stages.push({ name: '', pins: new Map() });
    for (const { library, release } of installs(rest, variables)) stages.at(-1)?.pins.set(library, release);
  }
  return new Map(stages.flatMap(({ pins }) => [...pins]));
}

/** Instructions, one a line: a backslash continues a line, also over comments (Dockerfile reference, “Line continuation”). */
const instructionsIn = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter(line => !line.trimStart().startsWith('#'))
    .join('\n')
    .replaceAll(/\\\r?\n/g, ' ')
    .split('\n')
    .map(line => line.trimEnd());

/** `ENV NAME value` is the old form of `ENV NAME=value`. */
const assignment = (rest: string): string => rest.replace(/^(\w{1,80})\s{1,40}(?=[^\s=])(.*)$/, '$1="$2"');

function stageFrom(rest: string, variables: Variables, earlier: readonly Stage[]): Stage {
  const [words = []] = scriptOf(whole(`FROM ${rest}`), variables).always;
  const [image = '', , name = ''] = words
    .slice(1)
    .flatMap(({ text }) => (text.startsWith('--') ? [] : [text]));
  const base = earlier.findLast(stage => stage.name !== '' && stage.name === image);
  const found = base ? null : releaseOfImage(image);
  return { name, pins: new Map(base?.pins ?? (found ? [[found.library, found.release]] : [])) };
}

const installs = (rest: string, variables: Variables): ReturnType<typeof installedBy> =>
  scriptOf(whole(rest.replaceAll(/--mount=\S{1,300}\s/g, '')), variables).always.flatMap(installedBy);
