# shellcheck shell=sh
# Functions for a machine with Slurm, in addition to those of any host (host.sh); script.ts describes their output.

PATH="$PATH:@SLURM_FOLDERS@"
export PATH
lim() { if command -v timeout >/dev/null; then timeout 25 "$@"; else "$@"; fi; }
submit() {
  root "$1"
  dir=$2
  script=$3
  avoid=$4
  partition=$5
  shift 5
  command -v sbatch >/dev/null || return 70
  claim "$dir" || return
  [ -n "$again" ] && return
  while [ "$1" != -- ]; do export "${1?}"; shift; done
  HEADROOM_JOB=$K
  HEADROOM_JOB_FOLDER=$J
  export HEADROOM_JOB HEADROOM_JOB_FOLDER
  { printf '%s' "$script" >"$J/script" && : >>"$J/output"; } || { rmdir "$J/begun"; return 73; }
  # shellcheck disable=SC2154 # `claim` of host.sh has set it.
  umask "$u"
  s=71
  if elsewhere "$avoid" "$partition"; then
    n=$(lim sbatch --parsable --output="$J/output" --exclude="$avoid" "$J/script" 2>/dev/null)
    s=$?
  fi
  # The other machines may lack something that the job needs: then accept any machine.
  if [ "$s" -ne 0 ] && [ "$s" -ne 124 ]; then
    n=$(lim sbatch --parsable --output="$J/output" "$J/script")
    s=$?
  fi
  if [ "$s" -ne 0 ]; then
    rmdir "$J/begun"
    [ "$s" -eq 124 ] && return 72
    return 71
  fi
  echo "${n%%;*}" >"$J/slurm.new" && mv -f "$J/slurm.new" "$J/slurm"
  tell slurm "${n%%;*}"
}
elsewhere() {
  [ -n "$1" ] || return 1
  lim sinfo -h -N -r -t idle,mixed,allocated,completing ${2:+-p "$2"} -o '%N %P' | awk -v avoid="$1" -v partition="$2" '
    BEGIN { n = split(avoid, names, ","); for (i = 1; i <= n; i++) no[names[i]] = 1 }
    !($1 in no) && (partition != "" || $2 ~ /\*$/) { found = 1 }
    END { exit !found }'
}
number() {
  S=
  [ -s "$J/slurm" ] && read -r S <"$J/slurm" && return
  [ -d "$J/begun" ] || return
  S=$(lim squeue -h -t all -n "headroom-$K" -o %A 2>/dev/null | head -n 1)
  [ -n "$S" ] || S=$(lim sacct -n -X -P --name "headroom-$K" -o JobIDRaw 2>/dev/null | head -n 1)
  [ -n "$S" ] && echo "$S" >"$J/slurm"
}
slurm_look() {
  root "$1"
  known || return 0
  number
  if [ -n "$S" ]; then
    tell slurm "$S"
    if o=$(lim scontrol -o show job "$S" 2>&1); then
      printf '%s\n' "$o" | while IFS= read -r l; do tell job "$l"; done
    else
      case $o in *[Ii]nvalid\ job\ id*) ;; *) tell away "$(printf '%s' "$o" | tail -n 1)" ;; esac
      lim sacct -n -X -P -j "$S" -o JobID,State,ExitCode,Timelimit,ReqMem,NodeList 2>/dev/null | while IFS= read -r l; do tell acct "$l"; done
    fi
  elif [ -d "$J/begun" ] && [ -n "$(find "$J/begun" -prune -mmin "+${START_MINUTES:-2}")" ]; then
    tell stale
  fi
  for f in "$J"/started*; do
    [ -f "$f" ] && { read -r t m <"$f"; f=${f##*/started}; tell started "${f:--} $t $m"; }
  done
  for f in "$J"/exit*; do
    [ -f "$f" ] && { read -r c t <"$f"; f=${f##*/exit}; tell exit "${f:--} $c $t"; }
  done
  told_to_stop
}
task_pieces() {
  root "$1"
  left=$2
  shift 2
  known=" $* "
  tell now "$(now)"
  for f in "$J"/samples-*; do
    [ -f "$f" ] || continue
    t=${f##*-}
    from=0
    case $known in *" $t:"*) from=${known#*" $t:"} ;; esac
    from=${from%% *}
    n=$(($(wc -c <"$f") - from))
    [ "$n" -gt "$left" ] && n=$left
    [ "$n" -gt 0 ] || continue
    tell piece "$t $n"
    bytes "$f" "$from" "$n"
    left=$((left - n))
    [ "$left" -gt 0 ] || return 0
  done
}
slurm_halt() {
  root "$1"
  if withdraw; then
    echo "$2" >"$J/stop"
    return 0
  fi
  number
  [ -n "$S" ] || return 72
  echo "$2" >"$J/stop"
  case $2 in
    interrupt)
      lim scancel -t PENDING "$S"
      lim scancel -s INT --full "$S"
      ;;
    terminate) lim scancel "$S" ;;
    kill)
      lim scancel -s KILL --full "$S"
      lim scancel "$S"
      ;;
  esac
  case $? in
    124) return 72 ;;
    *) return 0 ;;
  esac
}
partitions() {
  command -v sbatch >/dev/null || return 70
  p=$(lim sinfo -h -o '%P %l %a')
  s=$?
  [ "$s" -eq 124 ] && return 72
  [ "$s" -eq 0 ] || return 71
  printf '%s\n' "$p" | while IFS= read -r l; do tell partition "$l"; done
  tell home "$HOME"
}
