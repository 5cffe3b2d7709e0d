/** `$(dirname "$0")`, by its quotes' text alone: also of the link behind it, and as bash says it. */
const FOLDER =
  /\$\(dirname (?:-- )?(?:\$\((?:readlink -f|realpath) )?\$(?:0|\{0\}|BASH_SOURCE|\{BASH_SOURCE(?:\[0\])?(?::-\$0)?\})\)?\)/g;

/** `$(cd … && pwd)`. */
const ENTERED = /\$\(cd (?:-- )?([\w./-]{1,200}) ?(?:&?> ?\/dev\/null )?(?:2>&1 )?(?:&&|;) ?pwd(?: -P)?\)/g;

/** A text of a script in which its own folder is `.`: files that it names are looked up from there. */
export const fromOwnFolder = (text: string): string =>
  text.includes('$(') ? text.replaceAll(FOLDER, '.').replaceAll(ENTERED, '$1') : text;
