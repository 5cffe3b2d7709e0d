import type { Project } from './project';
import { parseConfig } from '../yaml/file';
import { plainOf } from '../yaml/scalars';
import type { Plain } from '../yaml/scalars';

const CONFIG = /\.(?:ya?ml|json|toml)$/i;

/** What a config of the project holds, which a program opens by this path; null: it is not there, or not read yet. */
export function openedConfig(project: Project, path: string): Plain {
  const file = CONFIG.test(path) ? project.dataFile(path) : null;
  const text = file === null ? null : project.text(file);
  if (file === null || text === null) return null;
  const root = parseConfig(file, text).documents[0]?.root;
  return root ? plainOf(root, file.endsWith('.json') ? 'json' : 'pyyaml') : null;
}
