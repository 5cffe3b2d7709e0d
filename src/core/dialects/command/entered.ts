/** `cd src`, `#SBATCH --chdir=src`: folders in which a script starts its program; a variable's folder is not among them. */
export function foldersEntered(text: string): readonly string[] {
  const folders = [...text.slice(0, LONGEST_SCRIPT).matchAll(ENTERS)].map(
    ([, entered, asked]) => entered ?? asked ?? '',
  );
  return [...new Set(folders.map(folder => folder.replace(/\/$/, '')))].slice(0, MOST_ENTERED);
}

const ENTERS =
  /^(?:[ \t]*|.{0,200}(?:&&|;)[ \t]*)(?:cd|pushd)[ \t]+["']?([\w./-]+)["']?[ \t]*(?:$|[;&|\n])|^#SBATCH[ \t].{0,60}(?:--chdir|--container-workdir|-D)[= ]([\w./-]+)/gm;
const LONGEST_SCRIPT = 50_000;
const MOST_ENTERED = 3;
