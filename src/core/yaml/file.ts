import { basename } from '../text/paths';
import type { YamlFile } from './node';
import { parseYaml } from './parse';
import { looksLikeToml } from './toml/detect';
import { parseToml } from './toml/parse';

/** Parses a config by its name: TOML, or YAML, of which JSON is a part. A name without an ending leaves it to the text. */
export function parseConfig(path: string, text: string): YamlFile {
  return isToml(path, text) ? parseToml(text) : parseYaml(text);
}

/** Parses a config whose name is not known: TOML if it begins so. */
export const parseText = (text: string): YamlFile =>
  looksLikeToml(text) ? parseToml(text) : parseYaml(text);

function isToml(path: string, text: string): boolean {
  const name = basename(path);
  return /\.toml$/i.test(name) || (!name.includes('.') && looksLikeToml(text));
}
