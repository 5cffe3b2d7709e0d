import { workspace } from 'vscode';
import type { CancellationToken, Uri } from 'vscode';
import { workspaceFiles } from '../host/workspaceFiles';
import { pathOf } from '../host/uris';
import type { CouldBeOurs } from './core';

const CONFIGS = '**/*.{yaml,yml,sbatch,slurm,sh}';
const NOT_OURS = '**/{node_modules,.git,.venv,venv,site-packages,__pycache__}/**';

/** A file of the workspace that could be a config of ours. */
export interface CandidateFile {
  readonly uri: Uri;
  readonly text: string;
}

/** Every YAML file and batch script of the workspace that a look at its keys does not turn away, in the order of their paths. */
export async function* candidateFiles(
  couldBeOurs: CouldBeOurs,
  token: CancellationToken,
): AsyncGenerator<CandidateFile> {
  const found = await workspace.findFiles(CONFIGS, NOT_OURS, undefined, token);
  for (const uri of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (token.isCancellationRequested) return;
    const read = await workspaceFiles.read(pathOf(uri));
    if ('text' in read && (await couldBeOurs(read.text))) yield { uri, text: read.text };
  }
}
