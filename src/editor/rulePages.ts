import { commands, l10n, Uri } from 'vscode';
import { Refusal } from '../host/errors';

const RULE = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Opens the page of a rule, which comes with the extension: the findings' codes lead here. */
export async function showRulePage(extension: Uri, rule: unknown): Promise<void> {
  if (typeof rule !== 'string' || !RULE.test(rule)) {
    throw new Refusal(l10n.t("To open a rule's page, click the code of one of its findings."));
  }
  await commands.executeCommand(
    'markdown.showPreview',
    Uri.joinPath(extension, 'docs', 'rules', `${rule}.md`),
  );
}
