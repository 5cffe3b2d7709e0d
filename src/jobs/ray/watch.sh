# shellcheck shell=sh
# Runs the given command and a watch of its GPUs, which writes its file next to the log of the Ray job.

log=$(readlink "/proc/$$/fd/1")
case $log in
  */job-driver-*) @START_WATCH@ ;;
esac
exec "$@"
