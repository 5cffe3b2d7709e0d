/**
 * What goes beside a job on its host, for \`sh -c\`, with the file to write, the job's mark, and the process whose end is its own:
 * every few seconds the GPUs, and what the job's processes hold on them, known by the variable that they were started with.
 * No single quote is in it, so that it can stand between two.
 */
export const WATCH = `
umask 077
f=$1
k=$2
l=$3
command -v nvidia-smi >/dev/null || exit
t=
command -v timeout >/dev/null && t="timeout 20"
while kill -0 "$l" 2>/dev/null; do
  z=0
  [ -f "$f" ] && z=$(($(wc -c <"$f")))
  [ "$z" -lt 33554432 ] || exit
  b=$(
    echo "at $(date +%s)"
    $t nvidia-smi --query-gpu=uuid,memory.used,utilization.gpu,temperature.gpu,power.draw --format=csv,noheader,nounits |
      while IFS= read -r r; do echo "gpu $r"; done
    $t nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory --format=csv,noheader,nounits |
      while IFS=", " read -r u p m; do
        grep -qsa "HEADROOM_JOB=$k" "/proc/$p/environ" && echo "held $u $m"
      done
    echo .
  )
  printf "%s\\n" "$b" >>"$f" || exit
  sleep 5
done
`;

/**
 * Starts it out of the job's group, which ends without it; \`file\` is a word of the shell. The mark is what HEADROOM_JOB is there,
 * kept, as the file is, before the watch itself goes without it.
 */
export const startWatch = (text: string, file: string): string =>
  `command -v setsid >/dev/null && (f=${file} k=$HEADROOM_JOB; unset HEADROOM_JOB; exec setsid sh -c ${text} headroom-watch "$f" "$k" "$$") </dev/null >/dev/null 2>&1 &`;
