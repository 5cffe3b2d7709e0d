# shellcheck shell=sh
# The beginning of every script of functions. `say` writes a line to the client, `bytes FILE FROM COUNT` a part of a
# file. `ask` runs a function in a subshell, so that its variables and working folder are discarded, and reports its
# error output and status.

exec 3>&1 1>/dev/null
say() { printf '@%s %s\n' "$N" "$*" >&3; }
tell() { say "$I s $*"; }
bytes() { say "$I b $3"; tail -c "+$(($2 + 1))" "$1" 2>/dev/null | head -c "$3" >&3; }
ask() {
  I=$1
  shift
  e=$( "$@" </dev/null 2>&1 1>/dev/null )
  s=$?
  [ -z "$e" ] || printf '%s\n' "$e" | while IFS= read -r l; do say "$I e $l"; done
  say "$I x $s"
}
