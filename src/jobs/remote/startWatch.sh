# shellcheck shell=sh
# Starts the watch (watch.sh, its text the word TEXT) out of the group of its job, which ends without it. It writes to the
# word FILE.
command -v setsid >/dev/null && (f=@FILE@ k=$HEADROOM_JOB; unset HEADROOM_JOB; exec setsid sh -c @TEXT@ headroom-watch "$f" "$k" "$$") </dev/null >/dev/null 2>&1 &
