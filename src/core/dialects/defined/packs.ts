import files from '../all.packs';
import type { Pack } from '../dialect';
import { kindOf } from './answers';
import { emptyRow } from './definition';
import { lazily } from './lazily';
import type { PackFile } from './definition';
import { packRowOf, packRuleOf } from './quantityRows';
import { detailRows } from './rows';
import { writersOf } from './writers';

/** A pack from its file. */
function packFrom(file: PackFile): Pack {
  const { id, project, extends: general, evidence, signature, task } = file;
  const head = {
    id,
    project,
    extends: general,
    evidence,
    ...(signature && { signature }),
    ...(task && { task }),
  };
  return lazily<Pack, typeof head>(head, ['quantities', 'details', 'writers', 'help'], () =>
    deferredParts(file),
  );
}

/** The parts of a pack that are needed only for configs with its evidence. */
function deferredParts({
  rows,
  writers,
  title,
  help,
}: PackFile): Required<Pick<Pack, 'quantities' | 'details' | 'writers'>> & Pick<Pack, 'help'> {
  const all = Object.entries(rows).map(([name, row]) => [name, { ...emptyRow, ...row }] as const);
  const quantities = all.filter(([name]) => !(name in detailRows));
  const details = all.filter(([name]) => name in detailRows);
  return {
    ...(help && { help }),
    quantities: Object.fromEntries(
      quantities.map(([name, row]) => [name, packRowOf(name, row, kindOf(row, name))]),
    ),
    details: Object.fromEntries(details.map(([name, row]) => [name, packRuleOf(name, row)])),
    writers: writersOf({ writers, title }),
  };
}

/** Packs extend general dialects for single projects: the files in `packs`. */
export const packs: readonly Pack[] = files.map(packFrom);
