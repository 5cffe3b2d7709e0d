# shellcheck shell=sh
# What Slurm runs for a job, below its options. It writes down its own begin and end, which are there when Slurm has
# forgotten the job; a run that was put back into the queue forgets the end before. Interrupted, it lives on until its
# command has ended.

trap : HUP INT TERM
J=$HEADROOM_JOB_FOLDER
N=${SLURM_ARRAY_TASK_ID:+-$SLURM_ARRAY_TASK_ID}
rm -f "$J/exit$N"
echo "$(date +%s) $SLURMD_NODENAME" >"$J/started$N"
for d in .venv/bin venv/bin; do
  [ -d "$d" ] && PATH="$PWD/$d:$PATH"
done
export PATH
@WATCHING@@COMMAND@
s=$?
printf '%s %s\n' "$s" "$(date +%s)" >"$J/exit$N.new" && mv -f "$J/exit$N.new" "$J/exit$N"
exit "$s"
