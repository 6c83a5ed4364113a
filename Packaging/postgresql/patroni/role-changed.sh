#!/bin/sh
# Patroni runs this when its database starts or has become a primary or a standby:
# /etc/patroni/role-changed.sh.
#
# PgBouncer keeps what the first session said about its database, also that it is a standby, and tells
# it to each new client. RECONNECT lets it ask again.
exec psql -qX -h /run/postgresql -p 6432 -U pgbouncer -d pgbouncer -c RECONNECT
