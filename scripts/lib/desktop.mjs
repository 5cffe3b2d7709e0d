// The user's installed VS Code, if there is one and a display for it.
import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const unusual = {
  linux: [],
  darwin: ['/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code'],
  win32: [],
};

/** Whether windows can be shown. In a terminal of a remote VS Code, `code` does not open a desktop window. */
export function hasDisplay({ DISPLAY, WAYLAND_DISPLAY, VSCODE_IPC_HOOK_CLI } = process.env) {
  if (VSCODE_IPC_HOOK_CLI) return false;
  return process.platform !== 'linux' || Boolean(DISPLAY || WAYLAND_DISPLAY);
}

/** The `code` command on the PATH or in a usual place; null if there is none. */
export function findCode({ PATH = '' } = process.env) {
  const name = process.platform === 'win32' ? 'code.cmd' : 'code';
  const onPath = PATH.split(delimiter)
    .filter(Boolean)
    .map(folder => join(folder, name));
  const found = [...onPath, ...(unusual[process.platform] ?? [])].find(file => existsSync(file));
  return found ? realpathSync(found) : null;
}

/**
 * The program behind a `code` command, which can be started by argv on every system and waited for. Null if it is
 * not where VS Code's installers put it.
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
