import { countOf } from '../parse/amount';
import { csvCells } from '../parse/text';
import type { JsonObject } from '../parse/json';

/** The section of an entry that has all of its row. */
export const COLUMNS = 'columns';

/**
 * Rows of amd-smi's `--csv` as entries whose keys have no sections: `socket_power`, `gfx_0_clk`. A header precedes each table,
 * and again the processes below one.
 */
export function csvEntries(text: string): readonly JsonObject[] {
  let names: readonly string[] = [];
  return text.split(/\r?\n/).flatMap(line => {
    if (!line.includes(',')) return [];
    const cells = csvCells(line);
    if (cells.includes('gpu')) {
      // `metric` has a temperature of this name, `monitor` a share.
      const memory = cells.includes('hotspot') ? 'mem_temperature' : 'mem_activity';
      names = cells.map(name => (name === 'mem' ? memory : name));
      return [];
    }
    const isRow = cells.length === names.length && countOf(cells[names.indexOf('gpu')]) !== null;
    if (!isRow) return [];
    const row = Object.fromEntries(names.map((name, at) => [name, cells[at] ?? '']));
    return [{ ...row, [COLUMNS]: row }];
  });
}
