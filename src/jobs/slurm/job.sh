# shellcheck shell=sh
# The script that Slurm runs for a job, below its options. It records its own start and end, so that they remain known
# after Slurm has forgotten the job; a requeued run removes the earlier end. If it is interrupted, it waits until its
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
