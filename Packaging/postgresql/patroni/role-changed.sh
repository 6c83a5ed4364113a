#!/bin/sh
# Patroni runs this when its database starts or has become a primary or a standby:
# /etc/patroni/role-changed.sh.
#
# PgBouncer keeps what the first session said about its database, also that it is a standby, and tells
# it to each new client. RECONNECT lets it ask again. Patroni may run this before a promotion has ended.
case "$2" in
master | primary)
    for _ in $(seq 150); do
        is_standby=$(psql -qXAt -h /run/postgresql -d postgres -c 'SELECT pg_is_in_recovery()')
        [ "$is_standby" = f ] && break
        sleep 0.2
    done ;;
esac
exec psql -qX -h /run/postgresql -p 6432 -U pgbouncer -d pgbouncer -c RECONNECT
