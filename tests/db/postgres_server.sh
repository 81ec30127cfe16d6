#!/usr/bin/env bash
# Starts and stops a PostgreSQL server for tests and measurements, on loopback, with a database for everybody.
#   postgres_server.sh installed                       succeeds if it can be started
#   postgres_server.sh start FOLDER [SETTING=VALUE…]   prints the URI of its database
#   postgres_server.sh stop FOLDER [immediate]         immediate: as a crash
#   postgres_server.sh again FOLDER                    starts it again on the same port
# Exit code 77: PostgreSQL is not installed.
set -euo pipefail
action=$1 folder=${2:-}
shift $(($# < 2 ? $# : 2))
bin=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -1) || true
[ -n "$bin" ] || bin=$(dirname "$(command -v initdb || true)")
[ -x "$bin/initdb" ] || { echo "PostgreSQL is not installed (Debian: apt install postgresql)" >&2; exit 77; }

# The server refuses to run as root.
as_user() {
  if [ "$(id -u)" = 0 ]; then (cd / && setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"); else "$@"; fi
}
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
start() { as_user "$bin/pg_ctl" --wait --silent --pgdata="$folder/data" --log="$folder/log" start >/dev/null; }

case $action in
  start)
    mkdir -p "$folder/data"
    chmod 711 "$folder"
    touch "$folder/log"
    [ "$(id -u)" != 0 ] || chown -R nobody:nogroup "$folder/data" "$folder/log"
    as_user "$bin/initdb" --username=gktune --auth=trust --encoding=UTF8 --no-locale --no-sync --pgdata="$folder/data" >"$folder/initdb.log"
    port=$(free_port)
    { printf '%s\n' "port = $port" "listen_addresses = '127.0.0.1'" "unix_socket_directories = ''" "$@"; } >>"$folder/data/postgresql.conf"
    [ -z "${HBA:-}" ] || echo "$HBA" >>"$folder/data/pg_hba.conf"  # who may connect from elsewhere
    start || { cat "$folder/log" >&2; exit 1; }
    echo "postgresql://gktune@127.0.0.1:$port/postgres" | tee "$folder/uri"
    ;;
  again) start ;;
  stop) as_user "$bin/pg_ctl" --silent --pgdata="$folder/data" --mode="${1:-fast}" stop >/dev/null ;;
esac
