# shellcheck shell=sh
# Runs on the remote host in plain `sh`: reads one command per line from standard input and starts tools in the
# background, so that it never stops reading. When the input ends, it exits and ends every process that it started or
# owns. Each line of output begins with `@NONCE `, which tells it from output of login files.
#
#   run ID PROGRAM ARG…   → `ID j JOB`, `ID p PID`, then `ID o LINE` and `ID e LINE` as they arrive, and finally `ID x STATUS`
#   own PID · gone PID JOB   remembers a process to end · forgets it
#   stop PID              asks a process to end
#   load ID               → `ID s CPU TIMES`, `ID m MEMORY LINE`, `ID l`; starts nothing
#
# Each line is one write, shorter than the atomic size of a pipe, so that lines of two tools do not mix. The pid of a
# tool is only known behind the pipe that reads its job, so the client sends it back and this shell keeps the list. Pids
# that the client has not sent when the input ends are found among the descendants of unfinished jobs.

LC_ALL=C
PYTHONUNBUFFERED=1
export LC_ALL PYTHONUNBUFFERED
PATH="$PATH:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin:/usr/lib/wsl/lib:/opt/rocm/bin:/usr/local/cuda/bin:/run/current-system/sw/bin:/opt/bin"
export PATH
exec 3>&1 1>/dev/null
say() { printf '@%s %s\n' "$N" "$*" >&3; }
relay() {
  while IFS= read -r l || [ -n "$l" ]; do printf '@%s %s %s\n' "$N" "$1" "$l"; done >&3
}
run() {
  i=$1
  shift
  {
    x=$( { { { "$@" 3>&- 4>&- 5>&- & say "$i p $!"; wait "$!"; echo "$?" >&5; } 2>&1 >&4 | relay "$i e" 4>&- 5>&-; } 4>&1 | relay "$i o" 5>&-; } 5>&1 )
    say "$i x $x"
  } </dev/null &
  begun="$begun $!"
  say "$i j $!"
}
begun=
owned=
own() { owned="$owned $1"; }
gone() {
  rest=
  for p in $owned; do [ "$p" = "$1" ] || rest="$rest $p"; done
  owned=$rest
  rest=
  for p in $begun; do [ "$p" = "$2" ] || rest="$rest $p"; done
  begun=$rest
  wait "$2" 2>/dev/null
}
stop() { kill "$1" 2>/dev/null; }
load() {
  if [ -r /proc/stat ] && [ -r /proc/meminfo ]; then
    IFS= read -r l </proc/stat && say "$1 s $l"
    while IFS= read -r l; do
      case $l in MemTotal:* | MemFree:* | MemAvailable:*) say "$1 m $l" ;; esac
    done </proc/meminfo
  fi
  say "$1 l"
}
below() {
  more=1
  while [ -n "$more" ]; do
    more=
    # shellcheck disable=SC2086 # Split into words.
    set -- $all
    while [ "$#" -gt 1 ]; do
      case " $found " in *" $1 "*) ;; *" $2 "*) found="$found $1" more=1 ;; esac
      shift 2
    done
  done
}
end() {
  for p in $owned; do kill "$p" 2>/dev/null; done
  [ -n "$begun" ] || return
  all=$(ps -A -o pid= -o ppid= 2>/dev/null)
  found=$begun
  below
  for p in $found; do kill "$p" 2>/dev/null; done
}
trap end EXIT
trap 'exit 1' HUP INT TERM
say "hello $(uname -s) $(uname -n)"
