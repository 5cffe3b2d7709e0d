# shellcheck shell=sh
# Starts the watch (the text of watch.sh is the word TEXT) outside the process group of its job, so that the job can end
# without it. It writes to the word FILE.
command -v setsid >/dev/null && (f=@FILE@ k=$HEADROOM_JOB; unset HEADROOM_JOB; exec setsid sh -c @TEXT@ headroom-watch "$f" "$k" "$$") </dev/null >/dev/null 2>&1 &
