#!/usr/bin/env bash
# Compares the library with Tryton, an ERP in Python, over one PostgreSQL: a page of 30 customers and
# the creation of one, each with 10,000 customers, in turns. It needs wrk, Python, PostgreSQL's server
# and a release build of svc; everything else goes into a temporary directory.
#
#   SVC_BIN=target/release/svc tests/benches/peers/tryton.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
svc=$(realpath "${SVC_BIN:-$here/../../../target/release/svc}")
seconds=${SECONDS_EACH:-5} rounds=${ROUNDS:-5}
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
dir=$(mktemp -d)
chmod 755 "$dir"
started=()
finish() {
    kill "${started[@]}" 2>/dev/null || true
    as_server "$bin/pg_ctl -D $dir/data -m immediate stop >/dev/null" || true
    rm -rf "$dir"
}
trap finish EXIT
# PostgreSQL refuses to run as root.
as_server() { if [ "$(id -u)" = 0 ]; then su postgres -c "$1"; else bash -c "$1"; fi; }

mkdir "$dir/sockets"
[ "$(id -u)" != 0 ] || chown postgres "$dir" "$dir/sockets"
as_server "$bin/initdb -D $dir/data -A trust -U peer -E UTF8 --locale=C.UTF-8 >/dev/null"
as_server "$bin/pg_ctl -w -D $dir/data -l $dir/log -o '-k $dir/sockets -p 5499 -c listen_addresses=127.0.0.1' start >/dev/null"
for database in tryton svc; do
    psql -q -h "$dir/sockets" -p 5499 -U peer postgres -c "CREATE DATABASE $database"
done

python3 -m venv "$dir/python"
"$dir/python/bin/pip" -q install trytond==8.2.1 trytond_party==8.2.0 gunicorn==27.0.1 'psycopg[binary,pool]'
printf '[database]\nuri = postgresql://peer@127.0.0.1:5499/\n[session]\ntimeout = 86400\n' >"$dir/trytond.conf"
echo admin >"$dir/password"
export TRYTOND_CONFIG=$dir/trytond.conf TRYTONPASSFILE=$dir/password TRYTOND_DATABASE_NAMES=tryton
"$dir/python/bin/trytond-admin" -d tryton --all --email admin@example.com
"$dir/python/bin/trytond-admin" -d tryton -u party --activate-dependencies
"$dir/python/bin/gunicorn" -w "${WORKERS:-4}" -b 127.0.0.1:8199 --log-level error trytond.application:app &
started+=($!)

export DATABASE_URL="postgres://peer@127.0.0.1:5499/svc?sslmode=disable"
"$svc" migrate >/dev/null
company=$("$svc" company create --name Peer | sed 's/.*"empresa":\([0-9]*\).*/\1/')
key=$("$svc" key create --company "$company")
for _ in $(seq 10000); do echo '{"nombre":"Ana"}'; done >"$dir/customers.ndjson"
"$svc" import --company "$company" clientes "$dir/customers.ndjson" >/dev/null 2>&1
SVC_LIMITS=notice SVC_IN_FLIGHT=100 "$svc" serve --listen 127.0.0.1:8198 2>/dev/null &
started+=($!)
sleep 8

session=$("$dir/python/bin/python" "$here/tryton.py" http://127.0.0.1:8199/tryton/rpc/ 10000)
member() { printf '%s' "$key" | sed "s/.*\"$1\":\"\([^\"]*\)\".*/\1/"; }
export SVC_KEY=$(member api_key) SVC_KEY_ID=$(member key_id) TRYTON_SESSION=$session

# What autovacuum does within a minute.
for database in tryton svc; do psql -q -h "$dir/sockets" -p 5499 -U peer "$database" -c "VACUUM ANALYZE"; done

measure() {
    wrk -t 1 -c "$2" -d "${seconds}s" --latency -s "$here/$1.lua" "$3" |
        awk '/Requests\/sec/ { rate = $2 } /50%/ { half = $2 } /99%/ { most = $2 } /Non-2xx/ { print "FAILED:", $0 }
             END { printf "%s %s %s\n", rate, half, most }'
}
for connections in 1 8; do
    for what in list create; do
        for round in $(seq "$rounds"); do
            echo "$what $connections $round svc $(measure "svc_$what" "$connections" http://127.0.0.1:8198/api/v1/clientes)"
            echo "$what $connections $round tryton $(measure "tryton_$what" "$connections" http://127.0.0.1:8199/tryton/rpc/)"
        done
    done
done
