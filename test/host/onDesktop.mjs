// The host suite in a desktop VS Code.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../../scripts/lib/processes.mjs';

/** The copy in .vscode-test, downloaded if missing. */
async function download(extension) {
  const { downloadAndUnzipVSCode } = await import('@vscode/test-electron');
  return downloadAndUnzipVSCode({ version: 'stable', extensionDevelopmentPath: extension, timeout: 30_000 });
}

/** Resolves with VS Code's exit status. Without a program, VS Code is downloaded. */
export async function runOnDesktop(
  { out, workspace, extension, beside, tests, env, limitMs },
  { program, userData },
) {
  const args = [
    workspace,
    ...[extension, ...beside].map(folder => `--extensionDevelopmentPath=${folder}`),
    `--extensionTestsPath=${tests}`,
    `--user-data-dir=${userData}`,
    `--extensions-dir=${join(userData, 'extensions')}`,
    '--disable-workspace-trust',
    '--skip-welcome',
    '--skip-release-notes',
    '--disable-updates',
    '--disable-gpu',
    // Containers and root cannot use a sandbox.
    '--no-sandbox',
  ];
  const options = { env: { ...process.env, ...env }, timeoutMs: limitMs };
  const { status, timedOut, output } = await run(program ?? (await download(extension)), args, options);
  writeFileSync(join(out, 'window.log'), output);
  if (timedOut) console.error(`not finished after ${limitMs / 1000} s`);
  return status ?? 1;
}
