#!/usr/bin/env bash
# Two network namespaces with addresses and host names of their own tune one study together, through a server in one of
# them, while their network fails for some seconds. The second takes a quarter longer for everything.
# Usage: two_hosts.sh PROGRAM
# Exit code 77: this system has no PostgreSQL, no `ip`, or no right to make namespaces.
set -euo pipefail
program=$(realpath "$1")
source=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
server=$source/tests/db/postgres_server.sh
"$server" installed
command -v ip >/dev/null || { echo "the command ip is not installed" >&2; exit 77; }
a=gktune-a-$$ b=gktune-b-$$
ip netns add "$a" 2>/dev/null || { echo "no right to make network namespaces" >&2; exit 77; }
folder=$(mktemp -d)
chmod 711 "$folder"
clean_up() {
  "$server" stop "$folder/server" immediate 2>/dev/null || true
  kill $(jobs -p) 2>/dev/null || true
  ip netns del "$a" 2>/dev/null || true
  ip netns del "$b" 2>/dev/null || true
  rm -rf "$folder"
}
trap clean_up EXIT
ip netns add "$b"
ip link add veth0 netns "$a" type veth peer name veth0 netns "$b"
for each in "$a" "$b"; do ip -n "$each" link set lo up; done
ip -n "$a" addr add 10.77.0.1/24 dev veth0
ip -n "$b" addr add 10.77.0.2/24 dev veth0
ip -n "$a" link set veth0 up
ip -n "$b" link set veth0 up

uri=$(HBA='host all all 10.77.0.0/24 trust' ip netns exec "$a" "$server" start "$folder/server" "listen_addresses = '10.77.0.1'" fsync=off)
uri=${uri/127.0.0.1/10.77.0.1}

recording=$source/bench/recordings/saxpy-H200.json.gz
mkdir "$folder/$a" "$folder/$b"
cp "$recording" "$folder/$a/saxpy.json.gz"
python3 - "$recording" "$folder/$b/saxpy.json.gz" <<'EOF'
import gzip, json, sys
def slower(value):
    return 1.25 * value if isinstance(value, float) else [slower(each) for each in value] if isinstance(value, list) else value
recording = json.load(gzip.open(sys.argv[1]))
for trial in recording['cache'].values():
    trial.update({key: slower(value) for key, value in trial.items() if key in ('time', 'times')})
json.dump(recording, gzip.open(sys.argv[2], 'wt'))
EOF

# tune NAMESPACE SEED
tune() {
  ip netns exec "$1" unshare --uts sh -c 'hostname "$0"; exec "$@"' "$1" env XDG_CACHE_HOME="$folder/$1" \
    "$program" run --device "replay:$folder/$1/saxpy.json.gz" --db "$uri" --strategy random --trials 250 \
    --pace 40ms --seed "$2" >"$folder/$1.log" 2>&1
}
tune "$a" 1 &
first=$!
tune "$b" 2 &
second=$!
# The link fails when both have stored trials.
both='SELECT count(DISTINCT c.host_name) > 1 FROM trials t JOIN sessions c ON c.id = t.session_id'
until [ "$(ip netns exec "$a" "$program" db sql --csv --db "$uri" "$both" 2>&1 | tail -1)" = 1 ]; do
  kill -0 $first $second || { cat "$folder"/*.log; exit 1; }
  sleep 0.2
done
ip -n "$b" link set veth0 down
sleep 14
ip -n "$b" link set veth0 up
wait $first || { cat "$folder/$a.log"; exit 1; }
wait $second || { cat "$folder/$b.log"; exit 1; }
found=$(ip netns exec "$b" "$program" db sql --csv --db "$uri" "SELECT count(*) > 250 AS enough, count(*) - count(DISTINCT config) AS references_timed_twice, \
  count(DISTINCT c.host_name) AS hosts, (SELECT count(*) FROM playoffs) AS playoffs FROM trials t JOIN sessions c ON c.id = t.session_id" | tail -1)
[ "$found" = "1,1,2,2" ] || { echo "found $found"; cat "$folder"/*.log; exit 1; }
grep -q 'the database cannot be reached' "$folder/$b.log" || { echo "the second host noticed no outage"; cat "$folder/$b.log"; exit 1; }
grep -qE "host ($b is 25.0 % slower than host $a|$a is 20.0 % faster than host $b) on the reference configuration" "$folder/$b.log" ||
  { echo "the hosts were not compared"; cat "$folder"/*.log; exit 1; }
grep -qE "the playoff on host $b confirms the winner of host $a|the playoff on host $a confirms the winner of host $b" \
  "$folder"/*.log || { echo "the playoff was not confirmed"; cat "$folder"/*.log; exit 1; }
echo "two hosts tuned one study"
