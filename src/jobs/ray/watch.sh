# shellcheck shell=sh
# Runs the command behind it with a watch of its GPUs next to it, whose file lies where Ray keeps the log of the job.

log=$(readlink "/proc/$$/fd/1")
case $log in
  */job-driver-*) @START_WATCH@ ;;
esac
exec "$@"
