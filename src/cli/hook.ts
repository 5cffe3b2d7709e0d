import { json } from '../core/text/terminal';
import { terminalOutput } from './output';
import { commandText } from './typedCommand';

/** A shell command that a coding agent is about to run. */
export interface HookCall {
  readonly command: string;
  /** The folder that it runs in; null: the hook's own. */
  readonly folder: string | null;
  /** The agent reads a permission as JSON; others read the reason on stderr. */
  readonly wantsJson: boolean;
}

/** Agents' code for "do not run it"; other codes than 0 are errors of the hook, and the command runs. */
const BLOCK = 2;

/**
 * The call in what a hook gets on stdin; null if it runs no command. Claude Code, Codex and Gemini CLI give `tool_input.command`
 * (https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks), Cursor's `beforeShellExecution` gives
 * `command` (https://cursor.com/docs/agent/hooks).
 */
export function hookCall(payload: string): HookCall | null {
  const call = parsed(payload);
  const input = isObject(call['tool_input']) ? call['tool_input'] : call;
  const command = lineOf(input['command']);
  if (command === null) return null;
  const { cwd } = call;
  return {
    command,
    folder: typeof cwd === 'string' && cwd !== '' ? cwd : null,
    wantsJson: call['hook_event_name'] === 'beforeShellExecution',
  };
}

/** Tells the agent not to run the command, and why. */
export function answerHook({ wantsJson }: HookCall, lines: readonly string[]): void {
  const { out, err } = terminalOutput({});
  if (wantsJson) {
    out(json({ permission: 'deny', user_message: lines[0] ?? '', agent_message: lines.join('\n') }));
  }
  for (const line of lines) err(line);
  process.exitCode = BLOCK;
}

/**
 * Says something about a command that may run: to the agent's user where the hook's answer can (`systemMessage`, which grants
 * nothing), and on stderr.
 */
export function warn(call: HookCall | null, lines: readonly string[]): void {
  const { out, err } = terminalOutput({});
  if (call && !call.wantsJson) out(json({ systemMessage: lines.join('\n') }));
  for (const line of lines) err(line);
}

function parsed(payload: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(payload);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A line of a shell, or words. */
function lineOf(command: unknown): string | null {
  if (typeof command === 'string') return command;
  const isWords = Array.isArray(command) && command.every(word => typeof word === 'string');
  return isWords ? commandText(command) : null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
