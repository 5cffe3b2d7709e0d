import { configAt } from '../command/configFile';
import { whole } from '../command/located';
import { scriptOf } from '../command/shell';
import type { Script } from '../command/shell';
import type { Variables } from '../command/shellValues';
import type { Layer, NearbyFiles } from '../engine/compose';

/** Scripts source one or two files of settings. */
const MOST_SOURCED = 4;

/** A script's commands, with the variables that the files it sources set known from its start. */
export async function scriptWithSourced(
  opened: Layer,
  known: Variables,
  files: NearbyFiles,
): Promise<Script> {
  const text = whole(opened.yaml.text);
  const script = scriptOf(text, known);
  let variables = known;
  for (const name of sourcedBy(script)) {
    const file = await configAt(name, opened.path, files);
    if (file) variables = scriptOf(whole(file.yaml.text), variables).variables;
  }
  return variables === known ? script : scriptOf(text, variables);
}

function sourcedBy({ always }: Script): readonly string[] {
  const names = always.flatMap(([command, file]) => {
    const isSourced = (command?.text === 'source' || command?.text === '.') && file?.open === false;
    return isSourced && /\.(?:sh|bash|env)$/.test(file.text) ? [file.text] : [];
  });
  return names.slice(0, MOST_SOURCED);
}
