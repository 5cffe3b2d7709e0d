// The VS Code that a person has installed, if there is one and a display to show it on.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const unusual = {
  linux: [],
  darwin: ['/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code'],
  win32: [],
};

/** Whether windows can be shown. A terminal inside a remote VS Code has a `code` that is not a desktop. */
export function hasDisplay({ DISPLAY, WAYLAND_DISPLAY, VSCODE_IPC_HOOK_CLI } = process.env) {
  if (VSCODE_IPC_HOOK_CLI) return false;
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** The `code` command on PATH or in a usual place; null when there is none. */
export function findCode({ PATH = '' } = process.env) {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const onPath = PATH.split(delimiter)
    .filter(Boolean)
    .map(folder => join(folder, name));
  const found = [...onPath, ...(unusual[process.platform] ?? [])].find(file => existsSync(file));
  return found ? realpathSync(found) : null;
}

/**
 * The program itself behind a `code` command: what can be started by argv on every system and waited for.
 * Null when it does not lie where VS Code's installers put it.
 */
export function programOf(code) {
  const bin = dirname(code);
  const places = {
    linux: [join(bin, '../code')],
    darwin: [join(bin, '../../../MacOS/Electron'), join(bin, '../../../MacOS/Code')],
    win32: [join(bin, '../Code.exe')],
  };
  return (places[process.platform] ?? []).find(file => existsSync(file)) ?? null;
}
