/** The n-th backup of a file: `config.yaml.backup`, `config.yaml.backup.1`, `config.yaml.backup.2` … */
export function backupName(path: string, n: number): string {
  return n === 0 ? `${path}.backup` : `${path}.backup.${n}`;
}
