# shellcheck shell=sh
# Watches the GPUs of a job. Arguments: the file to write, the marker of the job, and the process that it ends with. It
# stands between single quotes, so it must not contain any.

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
  printf "%s\n" "$b" >>"$f" || exit
  sleep 5
done
