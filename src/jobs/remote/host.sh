# shellcheck shell=sh
# Functions that a host runs for a job, in plain `sh`. hostScript.ts fills in values and describes the folder of a job.
# `tell`, `bytes` and `say` come from remote/calls.sh, with which every script of functions begins.

root() { J="$HOME/.headroom/jobs/$1"; K="$1"; }
began() {
  if [ -r "/proc/$1/stat" ]; then
    b=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
    b=${b##*) }
    # shellcheck disable=SC2086 # Split into words.
    set -- $b
    [ "$1" != Z ] && echo "${20}"
  else
    LC_ALL=C ps -o lstart= -p "$1" 2>/dev/null
  fi
}
boot() { cat /proc/sys/kernel/random/boot_id 2>/dev/null || sysctl -n kern.boottime 2>/dev/null | tr ' ' _; }
now() { date +%s; }
ours() {
  P=
  [ -s "$J/pid" ] || return 1
  { read -r P; read -r B; read -r O; read -r T; } <"$J/pid"
  [ "$O" = "$(boot)" ]
}
leads() { [ -n "$B" ] && [ "$(began "$P")" = "$B" ]; }
members() {
  LC_ALL=C ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null | awk -v g="$P" '
    { parent[$1] = $2; group[$1] = $3; state[$1] = $4 }
    END {
      for (p in group) {
        if (state[p] ~ /^Z/) continue
        for (q = p; q in group && q > 1; q = parent[q]) if (q == g || group[q] == g) { print p; break }
      }
    }'
}
marked() { grep -lsa "HEADROOM_JOB=$K" /proc/[0-9]*/environ 2>/dev/null | sed 's|^/proc/||; s|/environ$||'; }
stranger() { ! leads && kill -0 "$P" 2>/dev/null && [ -n "$(began "$P")" ]; }
prepare() {
  root "$1"
  umask 077
  mkdir -p "$J" || return 1
  tell home "$HOME"
  tell host "$(uname -n)"
  [ -d "$J/work" ] && tell copied
  command -v rsync >/dev/null && tell rsync
  command -v tar >/dev/null && tell tar
  for d in "$HOME/.headroom/jobs"/*/work; do [ -d "$d" ] && last=$d; done
  [ -z "$last" ] || { last=${last%/work}; tell last "${last##*/}"; }
  tell free "$(df -Pk "$J" 2>/dev/null | awk 'NR == 2 { print $4 }')"
  return 0
}
whole() {
  root "$1"
  [ -d "$J/work" ] || mv "$J/$2" "$J/work"
  rm -rf "$J"/part-*
  [ -d "$J/work" ]
}
KEEP='@KEEP@'
WATCH='@WATCH@'
place() {
  if [ -n "$1" ]; then
    case $1 in \~) set -- "$HOME" ;; \~/*) set -- "$HOME/${1#??}" ;; esac
    cd "$1" || return
  else
    cd "$J/work" || return
  fi
}
find_program() {
  for d in "$PWD/.venv/bin" "$PWD/venv/bin"; do [ -d "$d" ] && PATH="$d:$PATH"; done
  PATH="$PATH:$HOME/.local/bin"
  export PATH
  command -v "$1" >/dev/null && return
  # shellcheck disable=SC2016 # The login shell expands it.
  p=$("${SHELL:-sh}" -lc 'printf "\n%s" "$PATH"' </dev/null 2>/dev/null | tail -n 1)
  [ -z "$p" ] || PATH="$PATH:$p"
  command -v "$1" >/dev/null
}
claim() {
  again=
  u=$(umask)
  umask 077
  mkdir -p "$J" || return 73
  [ -z "$1" ] && [ ! -d "$J/work" ] && return 65
  if ! mkdir "$J/begun" 2>/dev/null; then
    [ -d "$J/begun" ] || return 73
    [ -d "$J/begun/never" ] && return 64
    again=1
    tell again
    return 0
  fi
  place "$1" || { rmdir "$J/begun"; return 66; }
}
begin() {
  root "$1"
  dir=$2
  watch=
  [ "$3" -gt 0 ] && watch=$WATCH
  shift 3
  claim "$dir" || return
  [ -n "$again" ] && return
  while [ "$1" != -- ]; do export "${1?}"; shift; done
  shift
  HEADROOM_JOB=$K
  export HEADROOM_JOB
  find_program "$1" || { rmdir "$J/begun"; return 67; }
  set -- sh -c "$KEEP" headroom-job "$J" "$(boot)" "$watch" "$@"
  : >>"$J/output" || { rmdir "$J/begun"; return 73; }
  umask "$u"
  if setsid -f true 2>/dev/null; then
    setsid -f "$@" </dev/null >>"$J/output" 2>&1 3>&-
  elif m=$( (set -m) 2>&1 ) && [ -z "$m" ]; then
    set -m
    "$@" </dev/null >>"$J/output" 2>&1 3>&- &
  elif command -v setsid >/dev/null; then
    setsid "$@" </dev/null >>"$J/output" 2>&1 3>&- &
  else
    rmdir "$J/begun"
    return 69
  fi
  n=0
  until [ -s "$J/pid" ]; do
    n=$((n + 1))
    [ "$n" -gt 100 ] && return 73
    sleep 0.1 2>/dev/null || sleep 1
  done
  { read -r P; read -r B; } <"$J/pid"
  tell pid "$P"
}
known() {
  [ -d "$J" ] || { tell none; return 1; }
  tell now "$(now)"
  [ -d "$J/begun" ] && tell begun
  [ -d "$J/begun/never" ] && tell never
  return 0
}
told_to_stop() {
  [ -f "$J/stop" ] && { read -r r <"$J/stop"; tell stop "$r"; }
  return 0
}
withdraw() {
  mkdir -p "$J"
  mkdir "$J/begun" 2>/dev/null && mkdir "$J/begun/never"
}
look() {
  root "$1"
  known || return 0
  [ -d "$J/begun" ] && [ ! -s "$J/pid" ] && [ -n "$(find "$J/begun" -prune -mmin "+${START_MINUTES:-2}")" ] && tell stale
  if ours; then
    tell pid "$P"
    tell started "$T"
    leads && tell alive
    stranger || for p in $(members); do tell member "$p"; done
  elif [ -n "$P" ]; then
    tell rebooted
    tell started "$T"
  fi
  [ -f "$J/exit" ] && { read -r c t <"$J/exit"; tell exit "$c $t"; }
  told_to_stop
}
give_up() {
  root "$1"
  withdraw
  look "$1"
}
piece() {
  root "$1"
  f=$J/${4:-output}
  tell now "$(now)"
  [ -f "$f" ] || { tell size 0; return; }
  z=$(($(wc -c <"$f")))
  tell size "$z"
  n=$((z - $2))
  [ "$n" -gt "$3" ] && n=$3
  [ "$n" -gt 0 ] && bytes "$f" "$2" "$n"
  return 0
}
halt() {
  root "$1"
  withdraw && return 0
  [ -f "$J/exit" ] || echo "$2" >"$J/stop"
  ours || return 0
  stranger && return 0
  case $2 in
    interrupt) kill -s INT -- "-$P" 2>/dev/null ;;
    terminate) kill -s TERM -- "-$P" 2>/dev/null ;;
    kill)
      all="$(members) $(marked)"
      kill -s KILL -- "-$P" 2>/dev/null
      for p in $all; do kill -s KILL "$p" 2>/dev/null; done
      ;;
  esac
  return 0
}
changed() {
  root "$1"
  place "$2" || return 66
  tell at "$PWD"
  since=$3
  shift 3
  find "$@" -type f ${since:+-newer "$J/begun"} 2>/dev/null | while IFS= read -r f; do tell file "$f"; done
}
clean() {
  root "$1"
  if ours && { leads || { ! stranger && [ -n "$(members)" ]; }; }; then return 75; fi
  rm -rf "$J" && [ ! -e "$J" ]
}
