import { patternFrom } from '../../spec/filePattern';
import type { LoraPlan } from '../adapterMethod';

/**
 * True if a layer gets an adapter: PEFT matches a target with the end of a module's name, and a pattern with all of
 * it (peft/tuners/tuners_utils.py, check_target_module_exists). Here, a pattern counts by its last name, and by
 * whether it is limited to the language model.
 */
export function isTarget(targets: LoraPlan['targets'], name: string): boolean {
  if (targets === 'all-linear') return true;
  return targets.some(target => (isPattern(target) ? fits(target, name) : isEnd(target, name)));
}

const isEnd = (target: string, name: string): boolean => name === target || name.endsWith(`.${target}`);

const isPattern = (target: string): boolean => /[()[\]\\*|]/.test(target);

function fits(pattern: string, name: string): boolean {
  const ofText = /language_model|text_model/.test(pattern);
  if (ofText && name.startsWith('vision_tower.')) return false;
  const last = lastName(pattern.replaceAll(/^['"]|['"]$/g, ''));
  const own = name.split('.').at(-1) ?? name;
  return patternFrom(`^(?:${last})$`).test(own);
}

/** The text after the last dot outside brackets. */
function lastName(pattern: string): string {
  let depth = 0;
  let start = 0;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i);
    if (character === '(' || character === '[') depth += 1;
    if (character === ')' || character === ']') depth -= 1;
    if (character === '.' && depth === 0 && i < pattern.length - 1) start = i + 1;
  }
  return pattern.slice(start);
}
