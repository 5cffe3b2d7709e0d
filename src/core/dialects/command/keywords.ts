/** What runs a script. */
export const STARTS_SCRIPT = /^(?:\S*\/)?(?:(?:ba|z|da)?sh|sbatch|source|\.)$/;
/** Words that open a compound command. */
export const OPENS = new Set(['if', 'case', 'while', 'for', 'until']);
/** Of these, those whose words are a command. */
export const ASKS = new Set(['if', 'while', 'until']);
/** Commands that only compare. */
export const TESTS = new Set(['[', '[[', 'test']);
/** Words that close one. */
export const CLOSES = new Set(['fi', 'esac', 'done']);
/** Words of statements that start nothing themselves. */
export const IS_ABOUT = new Set([...OPENS, ...CLOSES, 'elif', 'function']);
/** Words before the commands of a branch. */
export const LEADS = new Set(['then', 'else', 'do']);
/** Commands that only assign. */
export const DECLARES = new Set(['export', 'declare', 'local', 'readonly', 'typeset']);
