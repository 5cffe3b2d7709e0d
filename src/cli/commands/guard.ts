import type { RunAnalysis } from '../../core/rules/analysis';
import type { World } from '../../core/analyse/world';
import { leastOf } from '../../core/analyse/least';
import { answer } from '../../core/render/verdict';
import { formatBytes, formatCapacity } from '../../core/units';
import { terminal } from '../../core/text/terminal';
import { plansFor } from './optimize';
import { text } from 'node:stream/consumers';
import { answerHook, hookCall, warn } from '../hook';
import type { HookCall } from '../hook';
import { EXIT } from '../exit';
import { neediestIn } from '../neediest';
import type { Chosen } from '../neediest';
import type { Target } from '../../core/hardware/gpu';
import { BadInput, terminalOutput } from '../output';
import { commandText, TYPED } from '../typedCommand';
import type { OutputOptions } from '../output';
import { Session } from '../session';
import type { TargetOptions } from '../session';
import { DEFAULT_MARGIN } from '../../core/plan/plan';

interface GuardOptions extends TargetOptions, OutputOptions {
  readonly allow?: boolean;
  /** The command is in the JSON that a coding agent's hook gets on stdin, and the answer is for that agent. */
  readonly hook?: boolean;
}

/** Lines that shells and agents pass on to the user. */
const BYPASS = 'To run it anyway: headroom guard --allow -- COMMAND, or set HEADROOM_GUARD=off.';
const HOOK_BYPASS = 'To run it anyway, the user starts the agent with HEADROOM_GUARD=off.';

/**
 * `headroom guard -- COMMAND…`: exits with 1 and says why if the command starts a run that does not fit; with 0 for
 * all others, and for what Headroom can't read. It starts nothing. With `--hook`, it answers as hooks do.
 */
export async function guard(words: readonly string[], options: GuardOptions): Promise<void> {
  if (words.length === 0 && !options.hook) {
    throw new BadInput('Missing command. Use headroom guard -- COMMAND.');
  }
  if (options.allow || process.env['HEADROOM_GUARD'] === 'off') return;
  const call = options.hook ? hookCall(await text(process.stdin)) : null;
  if (options.hook && call === null) return;
  const session = new Session({ silent: true, ...(call?.folder && { folder: call.folder }) });
  const command = call?.command ?? commandText(words);
  const [most = null, ...others] = await session.targets(options);
  const why = await reasons(session, command, most);
  if (why.length > 0) stop(call, why, options);
  else {
    const warning = await warningOf(others.at(-1), most, session, command);
    if (warning.length > 0) warn(call, warning);
  }
}

/** Says why a command is stopped, the change that it needs, and the way around the guard. */
function stop(
  call: HookCall | null,
  [why = '', ...changes]: readonly string[],
  options: OutputOptions,
): void {
  if (call) {
    answerHook(call, [`Stopped: ${why}`, ...changes, HOOK_BYPASS]);
    return;
  }
  const output = terminalOutput(options);
  output.out(terminal`${output.paint.bad('Stopped:')} ${why}`);
  for (const line of [...changes, BYPASS]) output.out(line);
  process.exitCode = EXIT.exceeds;
}

/**
 * A name such as `A100` means cards of two sizes. What does not fit the larger is stopped; what does not fit the smaller
 * only passes with a warning, because the user has one of them and the name does not say which.
 */
async function warningOf(
  least: Target | undefined,
  most: Target | null,
  session: Session,
  command: string,
): Promise<readonly string[]> {
  if (!least || !most) return [];
  const [why] = await reasons(session, command, least);
  if (why === undefined) return [];
  return [
    `Not stopped, but on the smaller GPU: ${why}`,
    `Name the GPU that you have: --gpu "${most.name}" or --gpu "${least.name}".`,
  ];
}

/** Why a command is stopped, and the change that would make it fit, if one is known; empty for one that may start. */
async function reasons(session: Session, command: string, target: Target | null): Promise<readonly string[]> {
  const found = await neediestIn(session, TYPED, command, target, false);
  if (found === null || typeof found === 'string') return [];
  const why = whyStopped(found.chosen, session.world);
  if (why === null) return [];
  const change = target && found.chosen.estimate ? await changeFor(found, target) : null;
  return change === null ? [why] : [why, change];
}

/** The smallest change that makes a run fit, as a sentence; null if none is found. */
async function changeFor(found: Chosen, target: Target): Promise<string | null> {
  const search = await plansFor(found, target, 'fit', { margin: DEFAULT_MARGIN, plan: 1 });
  const [plan] = search.plans;
  if (!plan) return null;
  const edits = plan.edits.map(({ path, from, to }) => `${path} ${from ?? '(new)'} → ${to}`);
  return `It fits with: ${edits.join(', ')} (${plan.effect})`;
}

/** Null for a run that may start. One that was read by guessed keys has no verdict, so it is never stopped. */
function whyStopped(run: RunAnalysis, world: World): string | null {
  if (run.verdict === 'exceeds') return answer(run);
  const least = leastOf(run, world);
  if (least?.verdict !== 'exceeds' || least.capacityBytes === null) return null;
  const [need, room] = [formatBytes(least.device.expected), formatCapacity(least.capacityBytes)];
  return `≈ ${need} of ${room} · does not fit, even at the lowest estimate`;
}
