# shellcheck shell=bash
# Sourced by the scripts beside it: processes of this checkout that are found again, and free loopback ports.
# What they leave is in .run/, or in the folder COUNTERSIGN_STATE, when one checkout has two pairs of servers at once.
# NAME.pid in it holds pid, start time and boot: together they name one process for ever, so nothing else is ever ended.
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
umask 077
state=${COUNTERSIGN_STATE:-.run} # from the checkout, if it is no absolute path
# shellcheck disable=SC2034 # for those that read this
place=$(realpath -m "$state")
mkdir -p "$state/log" 2>/dev/null || { echo "${0##*/}: cannot write in $PWD" >&2; exit 1; }

started=() unrecorded='' pid=''
fail() { echo "${0##*/}: $*" >&2; exit 1; }

secret() { od -An -N24 -tx1 /dev/urandom | tr -d ' \n'; }

# The database roles belong to the whole cluster: `up`, `demo` and `test` of one checkout give them the same passwords, so
# that none locks out another's services.
if [ ! -s "$state/roles.secret" ]; then
	secret >"$state/roles.secret.$$"
	ln "$state/roles.secret.$$" "$state/roles.secret" 2>/dev/null || : # another was quicker
	rm -f "$state/roles.secret.$$"
fi
role_password() { printf '%s %s' "$(<"$state/roles.secret")" "$1" | sha256sum | cut -c1-48; }

# the user's own servers, given by these two variables, are used and left alone
own_servers() {
	case ${COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS:+k}${COUNTERSIGN_DATABASE_URI:+d} in
		kd) return 0 ;;
		'') return 1 ;;
		k) fail 'COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS is set without COUNTERSIGN_DATABASE_URI: set both, or neither' ;;
		d) fail 'COUNTERSIGN_DATABASE_URI is set without COUNTERSIGN_KAFKA_BOOTSTRAP_SERVERS: set both, or neither' ;;
	esac
}

identity() { # PID -> "PID STARTED BOOT"
	local stat
	stat=$(cat "/proc/$1/stat" 2>/dev/null) || return 1
	read -ra stat <<<"${stat##*) }" # a zombie has ended
	[ "${stat[0]}" != Z ] && echo "$1 ${stat[19]} $(</proc/sys/kernel/random/boot_id)"
}

running() { # NAME: sets pid
	pid=
	[ -s "$state/$1.pid" ] && read -r pid _ <"$state/$1.pid" && [ "$(identity "$pid")" = "$(<"$state/$1.pid")" ]
}

launch() { # NAME COMMAND...: in a session of its own, so that Ctrl-C is ours to handle; output to log/NAME.log
	local fd
	unrecorded=$1
	started+=("$1")
	(
		for fd in /proc/self/fd/*; do
			fd=${fd##*/}
			[ "$fd" -le 2 ] || eval "exec $fd>&-" 2>/dev/null || :
		done
		exec setsid env --default-signal=INT,QUIT "${@:2}"
	) </dev/null >>"$state/log/$1.log" 2>&1 &
	identity $! >"$state/$1.pid" || :
	unrecorded=''
}

# ends what this script has started, also when a signal came before the pid was written down
stop_started() {
	[ -z "$unrecorded" ] || identity $! >"$state/$unrecorded.pid" || :
	[ ${#started[@]} = 0 ] || stop "${started[@]}" >&2
}

stop() { # NAME...: all at once, none has to wait for another; PostgreSQL's SIGINT does not wait for its clients
	local i name ending=()
	for name in "$@"; do
		running "$name" || continue
		kill -s "$([ "$name" = postgres ] && echo INT || echo TERM)" "$pid"
		ending+=("$name")
	done
	for name in "${ending[@]}"; do
		for ((i = 0; i < 300; i++)); do
			running "$name" || break
			sleep 0.1
		done
		! running "$name" || { echo "$name did not stop in 30 s, killed" >&2; kill -KILL "$pid"; }
		echo "stopped $name"
	done
	for name in "$@"; do rm -f "$state/$name.pid"; done
}

give_up() { # NAME WHY: one line, and the log's own last words; what this call started ends with it
	local why=$2
	! tail -n 20 "$state/log/$1.log" | grep -qE 'No space left on device|Check free disk space' || why='the disk is full: make room'
	tail -n 3 "$state/log/$1.log" | cut -c1-300 >&2
	fail "$1: $why ($state/log/$1.log)"
}

free_ports() { # COUNT [PORT...]: the given ports if all are free, else new ones below those the kernel hands out
	/usr/bin/python3 - "$@" <<-'PYTHON'
		import random, socket, sys

		def bind(port):
		    s = socket.socket()
		    s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
		    try:
		        s.bind(("127.0.0.1", port))
		        return s
		    except OSError:
		        s.close()

		count, wanted = int(sys.argv[1]), [int(p) for p in sys.argv[2:] if p]
		held = [bind(p) for p in wanted]
		if len(held) != count or None in held:
		    held = []
		    while len(held) < count:
		        s = bind(random.randrange(15000, 32000))
		        if s:
		            held.append(s)
		print(*[s.getsockname()[1] for s in held])
	PYTHON
}

room_left() { # PATH...: a full disk is said before it breaks something
	local free
	free=$(df -Pk "$@" | awk 'NR > 1 && (m == "" || $4 < m) { m = $4 } END { print int(m / 1024) }')
	[ "$free" -ge 200 ] || fail "only $free MB are free for $*: make room (200 MB are needed)"
}
