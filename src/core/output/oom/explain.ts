import { unescaped } from '../../text/escapes';
import { unframed } from '../../text/frame';
import { withoutColors, withoutPrefix } from '../clean';
import { hasEnded } from '../endings';
import type { OomForm } from './form';
import { oomForms } from './forms';
import { ownerIn, phaseIn } from './frames';
import { afterTheEnd, harmless, otherKillers } from './harmless';
import { causesOf } from './judge';
import { numbersIn } from './numbers';
import type { OomReport } from './report';
import { ranStatements } from './statements';

/**
 * Only the end of a job's output is read; the tracebacks of all ranks of a large run fit into this. It also bounds
 * the work for long texts.
 */
const LAST_CHARACTERS = 256 * 1024;

const squeezed = (pattern: string): string => pattern.replaceAll(' ', '');

interface Compiled extends OomForm {
  readonly finds: RegExp;
}

const forms: readonly Compiled[] = oomForms.map(form => ({
  ...form,
  finds: form.lines ? new RegExp(form.pattern, 'm') : new RegExp(squeezed(form.pattern), 'i'),
}));
const harmlessForms = harmless.map(({ pattern }) => new RegExp(squeezed(pattern), 'g'));
const otherKills = otherKillers.map(({ pattern }) => new RegExp(squeezed(pattern)));
const teardown = new RegExp(squeezed(afterTheEnd), 'g');

/** A text's lines without prefixes, and all of it without white space, because messages can wrap anywhere. */
function readable(text: string): { readonly lines: string; readonly joined: string } {
  const lines = withoutColors(text)
    .split(/\r\n|[\r\n]/)
    .map(line => withoutPrefix(line).trimEnd().replace(/\\$/, ''));
  return { lines: lines.join('\n'), joined: lines.join('').replace(/\s+/g, '') };
}

function withoutHarmless(joined: string, lines: string): string {
  const left = harmlessForms.reduce((text, pattern) => text.replace(pattern, ''), joined);
  return hasEnded(lines) ? left.replace(teardown, '') : left;
}

/**
 * Explains an out-of-memory error in an output; null if there is none, or if the job continued. Reads any form of
 * `forms.ts`, whole, truncated or wrapped.
 */
export function explainOom(text: string): OomReport | null {
  // The rank is read where launchers put it, in front of the lines.
  const tail = unescaped(text.slice(-LAST_CHARACTERS));
  const { lines, joined: all } = readable(unframed(tail));
  const joined = withoutHarmless(all, lines);
  const form = forms.find(({ lines: inLines, finds }) => finds.test(inLines ? lines : joined));
  if (!form || (form.kind === 'host-ram-kill' && otherKills.some(other => other.test(joined)))) return null;
  const at = form.lines ? null : joined.search(form.finds);
  const numbers = numbersIn(joined, tail, at);
  const [kind, ...also] = form.kind === 'gpu-shortage' ? causesOf(numbers) : [form.kind];
  const ran = ranStatements(lines);
  const found = { phase: phaseIn(ran), owner: ownerIn(ran) };
  return { kind, also, backend: form.backend ?? null, numbers, ...found };
}
