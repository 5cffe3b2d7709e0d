import listed from './all.commands';

/*
 * The programs that scripts start. The dialects' own are listed from their launch lines at build time; here are only
 * those that start any program.
 */

const anyOf = (words: readonly string[]): string =>
  [...new Set(words)].map(one => one.replace(/[^\w -]/g, '\\$&')).join('|');

/** `axolotl train` is certain by its verb; `composer` needs an argument. */
const withVerb = anyOf(listed.filter(words => words.includes(' ')));
const withoutVerb = anyOf(listed.filter(words => !words.includes(' ')));

/** Other commands that scripts begin with. */
const COMMON =
  'poetry|pipenv|uv|nohup|time|sudo|exec|bash|sh|cp|mv|rm|ln|ls|git|pip3?|make|wget|unset|ulimit|touch|sleep';

/** What starts other commands, and words that only a shell begins a line with. */
const STARTERS =
  'for|if|case|while|env|timeout|nice|numactl|ray job submit|sbatch|mpirun|mpiexec|horovodrun|apptainer|singularity|tmux|screen';

/** The first line that is not a comment looks like shell. */
export const SHELL = new RegExp(
  '^(?:#![^\\n]*\\b(?:ba|z|da|k)?sh\\b|(?:[ \\t]*(?:#[^\\n]*\\n|\\r?\\n))*[ \\t]*' +
    `(?:set -|export |unset |ulimit |cd |source |read -|echo |cat [<>]|module |conda |mkdir |which |nvidia-smi\\b|(?:${COMMON}) |[A-Za-z_]\\w*=[^\\n]*(?:\\n|$)|[A-Za-z_]\\w*[ \\t]*\\(\\)[ \\t]*\\{|` +
    `(?:torchrun|deepspeed|accelerate|python3?|uv run|srun|docker|podman|nerdctl|${STARTERS}|${anyOf(listed.map(firstWord))}) |\\.{1,2}/[\\w./-]{1,200}\\.(?:sh|py) ))`,
);

/** Files of a shell, whatever their first line is. */
export const SHELL_FILE = /\.(?:sh|bash|zsh|ksh|sbatch|slurm)$/i;

/** Programs that make a script worth reading. */
export const STARTS = new RegExp(
  '(?:^|[\\s"\'`/(]|:-)(?:torchrun|torch\\.distributed\\.(?:run|launch)|accelerate"? launch|deepspeed|python3?|' +
    `(?:docker|podman|nerdctl)(?: container)? (?:run|create|"\\$\\{\\S{1,80})|${withVerb}|${withoutVerb})[}"\']{0,3}\\s|\\S\\.py"?\\s|(?:^|[\\s/;&|])(?:(?:ba|z|da)?sh|sbatch|source|\\.) [^#;&|\\n]{0,200}\\.(?:sh|bash|sbatch|slurm|env(?:\\.\\w{1,20})?)\\b|(?:^|\\s)\\.{1,2}/[\\w./-]{1,200}\\.(?:sh|bash)\\b`,
);

/** Commands that train; their arguments are parsed. */
export const TRAINS = new RegExp(
  '(?:^|[/ ])(?:(?:accelerate launch|torchrun|deepspeed|python3?(?:\\.\\d+)?|srun|uv run|[^\\s/]+\\.py|distributed_train\\.sh|' +
    `${withVerb})(?= |$)|(?:${withoutVerb})(?= ))`,
);

function firstWord(command: string): string {
  return command.slice(0, `${command} `.indexOf(' '));
}
