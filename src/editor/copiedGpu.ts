import { env, l10n } from 'vscode';
import { Refusal } from '../host/errors';
import { pickOne } from '../host/messages';
import type { ChooseServices } from './chooseTarget';
import { keepTarget } from './keepTarget';

/**
 * *Choose Target GPU from Copied Output*: a GPU in what `nvidia-smi` or another tool printed elsewhere. The copied
 * text is read and not kept. False if the user cancels.
 */
export async function chooseCopiedGpu({ core, targets, memory }: ChooseServices): Promise<boolean> {
  const [{ describeTarget }, copied] = await Promise.all([
    core(),
    env.clipboard.readText().then(text => targets.hardware.copied(text)),
  ]);
  if (copied.length === 0) {
    throw new Refusal(
      l10n.t('The clipboard has no GPU. Copy the whole output of nvidia-smi or another tool.'),
    );
  }
  const picked = await pickOne(
    copied.map(({ target, value }) => ({
      label: describeTarget(target),
      description: l10n.t(
        '{0} GB free in this output',
        ((target.usableMiB - target.busyMiB) / 1024).toFixed(1),
      ),
      value,
    })),
    { title: l10n.t('Choose Target GPU from Copied Output') },
  );
  return picked !== undefined && (await keepTarget(memory, picked.value));
}
