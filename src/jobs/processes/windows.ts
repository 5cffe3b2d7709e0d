import { ask } from './ps';
import type { Processes } from './process';
import type { ProcessRow } from './process';
import { isRecord } from '../../core/text/json';

const QUERY = 'Get-CimInstance Win32_Process';
const FIELDS =
  "Select-Object ProcessId,ParentProcessId,Name,@{n='Start';e={$_.CreationDate.ToFileTimeUtc()}} | ConvertTo-Json -Compress";

/** The rows of PowerShell's JSON: one object, or a list. There are no groups: a job is a process tree. */
function rowsOfCim(text: string): readonly ProcessRow[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return [];
  }
  const rows: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return rows.flatMap(row => {
    if (!isRecord(row) || typeof row['ProcessId'] !== 'number') return [];
    const { ProcessId: pid, ParentProcessId: parent, Start: start, Name: name } = row;
    const found = { pid, parent: Number(parent), group: 0, start: String(start), name: String(name) };
    return [found];
  });
}

const powershell = async (query: string): Promise<readonly ProcessRow[]> =>
  rowsOfCim(
    (await ask('powershell.exe', ['-NoProfile', '-NonInteractive', '-Command', `${query} | ${FIELDS}`])) ??
      '',
  );

export const windowsProcesses: Processes = {
  async of(pid) {
    const [row] = await powershell(`${QUERY} -Filter "ProcessId=${Math.trunc(pid)}"`);
    return row ?? null;
  },
  all: () => powershell(QUERY),
  startedWith: () => Promise.resolve(null),
};
