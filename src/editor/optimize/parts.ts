import type { RunOutcome } from '../../core/plan/outcome';
import type { KeyEdit } from '../../core/yaml/keyEdit';
import type { PartText } from '../../core/render/parts';
import { applyEdits } from '../../core/text/textEdit';
import { openDocument } from '../../host/uris';
import type { Texts } from '../analyst';
import type { LocatedAnalysis } from '../places';
import type { PlannedRun } from './planned';
import type { OptimizeServices } from './planned';

/** The texts of each change of a plan: what it is, and how the run fares without it. */
export async function partsOf(
  services: OptimizeServices,
  planned: PlannedRun,
): Promise<(key: KeyEdit) => PartText> {
  const { analyzed, plan } = planned;
  const { partTexts } = await services.core();
  const { edits } = plan;
  const trials = edits.length > 1 ? edits.map(left => edits.filter(edit => edit !== left)) : [];
  const [whole = null, ...without] = await tryOut(
    services,
    planned,
    [edits, ...trials].map(some => textsWith(analyzed, some)),
  );
  const texts = partTexts(edits, whole, without, analyzed.file);
  return key => texts[edits.indexOf(key)] ?? { label: key.path, description: '' };
}

/** Sentences that compare the run as its files are now with the run before. */
export async function outcomeAfter(services: OptimizeServices, planned: PlannedRun): Promise<string> {
  const { analyzed, run, plan } = planned;
  const files = [analyzed.file, ...plan.edits.map(({ file }) => file)];
  const now = files.map(file => [file, textNow(analyzed, file)] as const);
  const [outcome = null] = await tryOut(services, planned, [Object.fromEntries(now)]);
  const { outcomeOf, partialText } = await services.core();
  return partialText(outcomeOf(run), outcome);
}

function textNow(analyzed: PlannedRun['analyzed'], file: string): string {
  if (file === analyzed.file) return analyzed.document.getText();
  return openDocument(file)?.getText() ?? analyzed.texts[file] ?? '';
}

/** The files of a run with some of a plan's edits applied. */
export function textsWith(analyzed: LocatedAnalysis, edits: readonly KeyEdit[]): Texts {
  const files = new Set(edits.map(({ file }) => file));
  const changed = [...files].map(file => {
    const before = file === analyzed.file ? analyzed.text : (analyzed.texts[file] ?? '');
    const own = edits.filter(edit => edit.file === file).map(({ edit }) => edit);
    return [file, applyEdits(before, own)] as const;
  });
  return Object.fromEntries(changed);
}

function tryOut(
  { analyst }: OptimizeServices,
  { analyzed, run }: PlannedRun,
  trials: readonly Texts[],
): Promise<readonly (RunOutcome | null)[]> {
  const { file, text, options } = analyzed;
  const request = { file, text, options, run: run.run.name, trials };
  return analyst('tryOut', request);
}
