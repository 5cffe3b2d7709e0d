# shellcheck shell=sh
# Keeps a job: leads its process group, and records when it started and how it ended. It stands between single quotes
# in host.sh, so it must not contain any. Arguments: the folder of the job, the boot id, the text of the watch or an
# empty string, and the command.

trap : HUP INT QUIT TERM
J=$1
o=$2
w=$3
shift 3
if [ -r "/proc/$$/stat" ]; then
  b=$(cat "/proc/$$/stat")
  b=${b##*) }
  # shellcheck disable=SC2086 # Split into words.
  b=$(set -- $b; echo "${20}")
else
  b=$(LC_ALL=C ps -o lstart= -p $$)
fi
printf "%s\n%s\n%s\n%s\n" "$$" "$b" "$o" "$(date +%s)" >"$J/pid.new" && mv -f "$J/pid.new" "$J/pid" || exit 73
[ -n "$w" ] && @START_WATCH@
"$@"
s=$?
printf "%s %s\n" "$s" "$(date +%s)" >"$J/exit.new" && mv -f "$J/exit.new" "$J/exit"
exit "$s"
