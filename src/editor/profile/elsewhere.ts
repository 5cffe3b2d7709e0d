import { l10n, QuickPickItemKind, ThemeIcon } from 'vscode';
import type { QuickPickItem } from 'vscode';
import type { OtherPlace } from '../../core/compare/machines';
import { decide, pickOne } from '../../host/messages';
import { setting } from '../../host/settings';
import type { ChosenRun } from '../chosenRun';
import { PLACE_ICONS } from '../../host/placeIcons';
import { commandOf, entered, shown, started } from './program';
import { titleOf } from './profiler';
import type { ProfileServices, ProfileSubject } from './profiler';

/** This machine. */
export const HERE = 'here';

interface PlaceItem extends QuickPickItem {
  readonly place?: typeof HERE | OtherPlace;
}

/** Where to profile: this machine, or a host or cluster if the window has any. Null: the user canceled. */
export async function askPlace(
  { profiler }: ProfileServices,
  subject: ProfileSubject,
): Promise<typeof HERE | OtherPlace | null> {
  const others = await profiler.others();
  if (others.length === 0) return HERE;
  const items: readonly PlaceItem[] = [
    { label: l10n.t('This machine'), iconPath: new ThemeIcon(PLACE_ICONS.local), place: HERE },
    { label: l10n.t('Hosts and clusters'), kind: QuickPickItemKind.Separator },
    ...others.map(place => ({
      label: place.name,
      iconPath: new ThemeIcon(PLACE_ICONS[place.engine]),
      ...(place.note !== null && { detail: place.note }),
      place,
    })),
  ];
  const title = l10n.t('Profile {0}', titleOf(subject));
  const picked = await pickOne(items, { title, placeHolder: l10n.t('Where do you want to run it?') });
  return picked?.place ?? null;
}

/**
 * Profiles on another machine, as a task: the run's program without data, or a probe of a GPU. `askEntry`: asks for
 * the function that builds a model known only to the user's code; null: the model is known.
 */
export async function profileElsewhere(
  services: ProfileServices,
  chosen: ChosenRun,
  subject: ProfileSubject,
  place: OtherPlace,
  askEntry: (() => Thenable<string | undefined>) | null,
): Promise<void> {
  const known = await commandOf(services, chosen, subject);
  const [dry, enter, probe] = [l10n.t('Dry Run'), l10n.t('Enter Command …'), l10n.t('Probe')];
  const title = l10n.t('Profile {0} on {1}?', titleOf(subject), place.name);
  const lines = [
    known === null ? l10n.t('Its command is not known.') : shown(known),
    l10n.t('A dry run uses no GPU. A probe trains two steps on one GPU.'),
    l10n.t('Before a dry run, the terminal lists the files to copy, and asks.'),
  ];
  const buttons = known === null ? [enter, probe] : [dry, enter, probe];
  const answer = await decide('question', { title, lines }, ...buttons);
  if (answer === undefined) return;
  const entry = answer === probe && askEntry ? await askEntry() : undefined;
  if (answer === probe && askEntry && entry === undefined) return;
  const command = answer === dry ? known : answer === enter ? await entered(subject, known) : null;
  if (command === null && answer !== probe) return;
  const where = { ...place, sshConfig: setting('ssh.configFile').trim() };
  const of = entry === undefined ? subject : { ...subject, entry };
  await started(services, chosen, subject, await services.profiler.elsewhere(of, where, command));
}
