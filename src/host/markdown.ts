import { MarkdownString } from 'vscode';
import { mdCommand } from '../core/text/markdown';
import type { Markdown } from '../core/text/markdown';
import { commandLink } from './commands';
import type { CommandId } from './commands';

/** The only way to create a Markdown view: no HTML, no icons, and links only to the commands listed here. */
export function markdownView(text: Markdown, commands: readonly CommandId[] = []): MarkdownString {
  const view = new MarkdownString(text.source);
  view.supportHtml = false;
  view.supportThemeIcons = false;
  view.isTrusted = commands.length === 0 ? false : { enabledCommands: commands };
  return view;
}

/** A link to one of Headroom's commands. */
export const link = (title: string, command: CommandId, ...args: readonly unknown[]): Markdown =>
  mdCommand(title, commandLink(command, ...args));
