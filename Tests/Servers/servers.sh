#!/usr/bin/env bash
# Real servers for the tests: private, on the loopback address, below one folder.
#
#   export CARREL_SERVERS_ROOT=$(mktemp -d)
#   servers.sh up [NAME...]      start; what runs already is left running
#   servers.sh env               KEY='VALUE' lines for the tests:  set -a; eval "$(servers.sh env)"; set +a
#   servers.sh status            NAME up PID | NAME down | NAME absent
#   servers.sh down [NAME...]    stop; without a name also remove everything that up made
#
# Names: apache, nginx, rclone, lighttpd, wsgidav, moto (S3), tinyproxy (HTTP proxy), microsocks (SOCKS5 proxy), vsftpd, proftpd,
# pureftpd, pyftpd (FTP), openssh, proftpd_sftp, asyncssh, rclone_sftp (SFTP), postgresql; without a name all of them. plain is a
# location of nginx, proxy means both proxies, ftp the FTP servers, sftp the SFTP servers.
#
# For tests that interrupt PostgreSQL, by the script that CARREL_TEST_POSTGRES_CONTROL names:
#   servers.sh postgresql stop|start|restart|kill    kill as a power cut would, and start nothing
# CARREL_SERVERS_ADDRESS is listened on instead of the loopback address 127.0.0.1: for a network namespace of its own.
# Exit codes: 0 fine, 1 a server did not start, 2 wrong usage, 3 a server program is not installed.
# Works as root (the servers then run as www-data or nobody) and as an ordinary user, for whom OpenSSH, both ProFTPDs
# and all other FTP servers but pyftpd are absent: they want to be started by root. Linux only (/proc).
set -euo pipefail
umask 022

# One vsftpd is one port and one kind of connection.
VSFTPD=(vsftpd vsftpd_implicit vsftpd_capped)
FTP=("${VSFTPD[@]}" proftpd pureftpd pyftpd)
# How much OpenSSH sends under one key is the same for all its ports.
OPENSSH=(openssh openssh_rekey)
SFTP=("${OPENSSH[@]}" proftpd_sftp asyncssh rclone_sftp)
SERVERS=(apache nginx rclone lighttpd wsgidav moto tinyproxy microsocks "${FTP[@]}" "${SFTP[@]}" postgresql)
ADDRESS=${CARREL_SERVERS_ADDRESS:-127.0.0.1}
LOGIN=reader
# Awkward on purpose: a colon, a space, a letter outside ASCII and a percent sign.
PASSWORD='pa:ss wörd%1'
REALM=carrel
# For the proxies, which carry no other letters.
PROXY_LOGIN=passenger
PROXY_PASSWORD=ticket-7
BUCKET=carrel
# A user of PostgreSQL, and a database.
POSTGRES_LOGIN=carrel
ROOT=${CARREL_SERVERS_ROOT:-}
# Servers written in Python; install.sh makes the folder in the same place.
if [ "$(id -u)" = 0 ]; then VENV=/var/cache/carrel-tests/venv; else VENV=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/carrel-tests/venv; fi
VENV=${CARREL_VENV:-$VENV}
FTP_SERVERS=$(dirname "$VENV")/ftp-servers
PORTS=()

say() { printf '%s\n' "$*" >&2; }
die() { say "servers.sh: $1"; exit "${2:-1}"; }
usage() { sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2; }

# ---- programs ------------------------------------------------------------------------------------------

# Servers are often in /usr/sbin, which an ordinary user's PATH does not have.
program() {
  case $1 in
    apache) find_program apache2 httpd ;;
    nginx) find_program nginx ;;
    rclone | lighttpd | tinyproxy | microsocks) find_program "$1" ;;
    wsgidav) find_program "$VENV/bin/wsgidav" ;;
    moto) find_program "$VENV/bin/moto_server" ;;
    vsftpd*) find_program "$FTP_SERVERS/usr/sbin/vsftpd" ;;
    proftpd | proftpd_sftp) find_program "$FTP_SERVERS/usr/sbin/proftpd" ;;
    pureftpd) find_program "$FTP_SERVERS/usr/sbin/pure-ftpd" ;;
    pyftpd | asyncssh) find_program "$VENV/bin/python" ;;
    openssh*) find_program sshd ;;
    rclone_sftp) find_program rclone ;;
    postgresql) find_program "$(postgresql_programs)/postgres" ;;
  esac
}

find_program() {
  local name path
  for name in "$@"; do
    path=$(PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin command -v "$name") || continue
    if [ -x "$path" ]; then printf '%s\n' "$path"; return 0; fi
  done
  return 1
}

module_folder() { # FILE FOLDER... : the first folder that holds the file
  local file=$1 folder
  shift
  for folder in "$@"; do
    if [ -f "$folder/$file" ]; then printf '%s\n' "$folder"; return 0; fi
  done
  return 1
}

apache_modules() {
  module_folder mod_dav.so /usr/lib/apache2/modules /usr/local/apache2/modules /usr/lib64/httpd/modules
}

lighttpd_modules() {
  module_folder mod_webdav.so /usr/lib/lighttpd /usr/lib64/lighttpd /usr/local/lib/lighttpd
}

nginx_dav_module() {
  module_folder ngx_http_dav_ext_module.so /usr/lib/nginx/modules /usr/lib64/nginx/modules
}

# Debian keeps each version's programs apart; the newest, else what the PATH has.
postgresql_programs() {
  local folder newest=
  for folder in /usr/lib/postgresql/*/bin; do
    [ -x "$folder/initdb" ] || continue
    if [ -z "$newest" ] || [ "$(printf '%s\n' "$newest" "$folder" | sort -V | tail -n 1)" = "$folder" ]; then newest=$folder; fi
  done
  [ -n "$newest" ] || newest=$(dirname "$(find_program initdb)") || return 1
  printf '%s\n' "$newest"
}

is_present() {
  program "$1" >/dev/null || return 1
  case $1 in
    apache) apache_modules >/dev/null ;;
    nginx) nginx_dav_module >/dev/null ;;
    lighttpd) lighttpd_modules >/dev/null ;;
    vsftpd*) [ "$(id -u)" = 0 ] && pam_pwdfile >/dev/null ;;
    proftpd) [ "$(id -u)" = 0 ] && proftpd_modules >/dev/null ;;
    pureftpd) [ "$(id -u)" = 0 ] ;;
    pyftpd) module_folder servers.py "$VENV"/lib/python*/site-packages/pyftpdlib >/dev/null ;;
    openssh*) [ "$(id -u)" = 0 ] && find_program ssh-keygen >/dev/null && unshare --mount true 2>/dev/null ;;
    proftpd_sftp) [ "$(id -u)" = 0 ] && find_program ssh-keygen >/dev/null && module_folder mod_sftp.so "$(proftpd_modules)" >/dev/null ;;
    asyncssh) find_program ssh-keygen >/dev/null && module_folder sftp.py "$VENV"/lib/python*/site-packages/asyncssh >/dev/null ;;
    rclone_sftp) find_program ssh-keygen >/dev/null ;;
    postgresql) [ -x "$(postgresql_programs)/initdb" ] && find_program psql >/dev/null ;;
  esac
}

# ---- the user that the servers run as ------------------------------------------------------------------

server_user() {
  local name
  if [ "$(id -u)" != 0 ]; then id -un; return 0; fi
  for name in www-data nobody; do
    if id "$name" >/dev/null 2>&1; then printf '%s\n' "$name"; return 0; fi
  done
  die "neither www-data nor nobody exists on this machine"
}

# Runs a command as that user, in place of the shell's child, so that the process id stays the same.
DROP=()
prepare_drop() {
  RUN_USER=$(server_user)
  RUN_GROUP=$(id -gn "$RUN_USER")
  if [ "$(id -u)" = 0 ]; then
    DROP=(setpriv "--reuid=$RUN_USER" "--regid=$RUN_GROUP" --clear-groups --)
  fi
}

give_folder() { # FOLDER... : make it and give it to the servers' user
  mkdir -p "$@"
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$@"; fi
}

# ---- processes -----------------------------------------------------------------------------------------

# A process is remembered as "PID START": a reused process id has another start time and is never signalled.
# Prints the start time, nothing for a process that is gone or only waits to be collected.
start_time() {
  local line fields
  { IFS= read -r line <"/proc/$1/stat"; } 2>/dev/null || return 0
  read -r -a fields <<<"${line##*) }"
  [ "${fields[0]}" = Z ] || printf '%s\n' "${fields[19]}"
}

is_same_process() { # PID START
  [ -n "$1" ] && [ -n "$2" ] && [ "$(start_time "$1")" = "$2" ]
}

is_up() { # NAME
  local pid start
  [ -f "$ROOT/run/$1.pid" ] && read -r pid start <"$ROOT/run/$1.pid" && is_same_process "$pid" "$start"
}

# Every process of the group that this leader leads, the leader included, as "PID START" lines; also those of the groups that
# its children lead: vsftpd makes one for each session.
group_of() { # LEADER
  local stat line fields groups=" $1 " found=()
  for stat in /proc/[0-9]*/stat; do
    { IFS= read -r line <"$stat"; } 2>/dev/null || continue
    read -r -a fields <<<"${line##*) }"
    [ "${fields[1]}" != "$1" ] || groups+="${fields[2]} "
    [ "${fields[0]}" = Z ] || found+=("${fields[2]} ${line%% *} ${fields[19]}")
  done
  for line in "${found[@]}"; do
    case $groups in *" ${line%% *} "*) printf '%s\n' "${line#* }" ;; esac
  done
}

launch() { # NAME COMMAND... : in a session and process group of its own, detached from our files
  local name=$1 pid
  shift
  setsid "$@" </dev/null >>"$ROOT/log/$name.log" 2>&1 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
  pid=$!
  disown "$pid"
  printf '%s %s\n' "$pid" "$(start_time "$pid")" >"$ROOT/run/$name.pid"
}

count_alive() { # FILE of "PID START" lines
  local pid start count=0
  while read -r pid start; do
    if is_same_process "$pid" "$start"; then count=$((count + 1)); fi
  done <"$1"
  printf '%s\n' "$count"
}

signal_each() { # SIGNAL FILE
  local pid start
  while read -r pid start; do
    if is_same_process "$pid" "$start"; then kill "-$1" "$pid" 2>/dev/null || true; fi
  done <"$2"
}

stop() { # NAME [SIGNAL]
  local name=$1 signal=${2:-TERM} leader members=$ROOT/run/$1.group waited
  [ -f "$ROOT/run/$name.pid" ] || return 0
  # PostgreSQL waits for its clients at SIGTERM, and ends their sessions at SIGINT (postgres(1)).
  if [ $# = 1 ] && [ "$name" = postgresql ]; then signal=INT; fi
  if is_up "$name"; then
    read -r leader _ <"$ROOT/run/$name.pid"
    group_of "$leader" >"$members"
    kill "-$signal" -- "-$leader" 2>/dev/null || true
    signal_each "$signal" "$members"
  elif [ -f "$members" ]; then
    # the leader was killed by somebody else: end those of its children that are certainly ours
    signal_each TERM "$members"
  fi
  if [ -f "$members" ]; then
    for ((waited = 0; waited < 50; waited++)); do
      [ "$(count_alive "$members")" != 0 ] || break
      sleep 0.1
    done
    signal_each KILL "$members"
  fi
  rm -f "$ROOT/run/$name.pid" "$members"
  say "down: $name"
}

# ---- ports ---------------------------------------------------------------------------------------------

answers() { # PORT
  (exec 3<>"/dev/tcp/$ADDRESS/$1") 2>/dev/null
}

port_count() { # NAME
  case $1 in openssh) echo 6 ;; asyncssh) echo 4 ;; apache | proftpd) echo 3 ;; nginx | pyftpd) echo 2 ;; *) echo 1 ;; esac
}

# Fills PORTS with free ports below the range that the kernel hands out itself.
pick_ports() { # COUNT
  local port
  PORTS=()
  while [ ${#PORTS[@]} -lt "$1" ]; do
    port=$((20000 + (RANDOM * 32768 + RANDOM) % 12000))
    case " ${PORTS[*]-} " in *" $port "*) continue ;; esac
    # ports of our servers that are down at the moment count as taken: tests restart servers
    if ! answers "$port" && ! grep -qsw "$port" "$ROOT"/run/*.ports; then PORTS+=("$port"); fi
  done
}

# Whether this very process listens on the port: that a port answers does not say who answers.
listens() { # PID PORT
  local port inode handle
  port=$(printf '%04X' "$2")
  # 0A is the state of a listening socket. The table is long after many transfers, and the shell would read it slowly.
  while read -r _ _ _ _ _ _ _ _ _ inode _; do
    for handle in "/proc/$1/fd"/*; do
      if [ "$(readlink "$handle")" = "socket:[$inode]" ]; then return 0; fi
    done
  done < <(grep "^ *[0-9]*: [0-9A-F]*:$port [0-9A-F:]* 0A " /proc/net/tcp)
  return 1
}

wait_for_ports() { # NAME PORT...
  local name=$1 pid port tries=0
  shift
  read -r pid _ <"$ROOT/run/$name.pid"
  for port in "$@"; do
    until listens "$pid" "$port" && answers "$port"; do
      is_up "$name" || return 1
      tries=$((tries + 1))
      [ "$tries" -lt 600 ] || return 1
      sleep 0.1
    done
  done
  is_up "$name"
}

# ---- what all servers share ----------------------------------------------------------------------------

prepare() {
  [ -d /proc/self ] || die "needs Linux: there is no /proc here"
  command -v openssl >/dev/null || die "openssl is missing: it makes the certificates" 3
  mkdir -p "$ROOT"
  [ -O "$ROOT" ] || die "$ROOT belongs to somebody else"
  prepare_drop
  mkdir -p "$ROOT"/{run,log,conf,data}
  give_folder "$ROOT/run/private"
  # mktemp makes folders that only root may enter; the servers' user has to pass through
  if [ "$(id -u)" = 0 ]; then chmod go+x "$ROOT"; fi
  "${DROP[@]}" test -r "$ROOT/conf" || die "$RUN_USER cannot reach $ROOT: choose a folder that others may enter"
  [ -d "$ROOT/pki" ] || make_certificates
  make_password_files
}

# A certificate authority of our own, a certificate for localhost and one for a client.
make_certificates() {
  local work=$ROOT/pki.new
  rm -rf "$work"
  mkdir "$work"
  (
    cd "$work"
    umask 077
    local new_key=(-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes)
    openssl req -x509 "${new_key[@]}" -days 30 -subj "/CN=Carrel test authority" -keyout ca.key -out ca.crt \
      -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
    openssl req "${new_key[@]}" -subj /CN=localhost -keyout server.key -out server.csr
    openssl req "${new_key[@]}" -subj "/CN=Carrel test client" -keyout client.key -out client.csr
    cat >server.ext <<E
subjectAltName=DNS:localhost,IP:$ADDRESS,IP:::1
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=serverAuth
E
    cat >client.ext <<E
basicConstraints=critical,CA:FALSE
keyUsage=critical,digitalSignature
extendedKeyUsage=clientAuth
E
    sign server
    sign client
    chmod 644 ./*.crt
    chmod 755 .
  ) >"$ROOT/log/openssl.log" 2>&1 || { tail -n 5 "$ROOT/log/openssl.log" >&2; die "could not make the certificates"; }
  mv "$work" "$ROOT/pki"
}

sign() { # NAME
  openssl x509 -req -in "$1.csr" -CA ca.crt -CAkey ca.key -CAcreateserial -days 30 -extfile "$1.ext" -out "$1.crt"
}

make_password_files() {
  local hash digest digest256
  [ ! -f "$ROOT/conf/htdigest" ] || return 0
  hash=$(openssl passwd -apr1 -stdin <<<"$PASSWORD")
  digest=$(printf '%s:%s:%s' "$LOGIN" "$REALM" "$PASSWORD" | md5sum)
  digest256=$(printf '%s:%s:%s' "$LOGIN" "$REALM" "$PASSWORD" | sha256sum)
  printf '%s:%s\n' "$LOGIN" "$hash" >"$ROOT/conf/htpasswd"
  printf '%s:%s:%s\n' "$LOGIN" "$REALM" "${digest%% *}" >"$ROOT/conf/htdigest"
  printf '%s:%s:%s\n' "$LOGIN" "$REALM" "${digest256%% *}" >"$ROOT/conf/htdigest.sha256"
}

# ---- apache: one folder behind Basic, Digest and no authentication; TLS; TLS with client certificates -----

launch_apache() { # PLAIN TLS MTLS
  local data=$ROOT/data/apache
  give_folder "$data" "$ROOT/run/apache"
  apache_configuration "$@" >"$ROOT/conf/apache.conf"
  printf '%s\n' 'text/plain txt' 'text/html html' 'application/json json' 'image/png png' >"$ROOT/conf/mime.types"
  launch apache "$(program apache)" -f "$ROOT/conf/apache.conf" -DFOREGROUND
}

apache_load() {
  local folder module
  folder=$(apache_modules)
  # some distributions compile a few of these in: then there is no file to load
  for module in mpm_event unixd authn_core authn_file authz_core authz_user auth_basic auth_digest alias dir mime \
    autoindex env setenvif headers log_config logio dav dav_fs dav_lock socache_shmcb ssl; do
    if [ -f "$folder/mod_$module.so" ]; then
      printf 'LoadModule %s_module "%s/mod_%s.so"\n' "$module" "$folder" "$module"
    fi
  done
}

apache_location() { # PATH AUTHENTICATION
  printf 'Alias %s "%s"\n<Location %s>\n  Dav On\n' "$1" "$ROOT/data/apache" "$1"
  case $2 in
    Basic) printf '  AuthType Basic\n  AuthName %s\n  AuthUserFile "%s"\n  Require valid-user\n' "$REALM" "$ROOT/conf/htpasswd" ;;
    Digest) printf '  AuthType Digest\n  AuthName %s\n  AuthDigestDomain %s\n  AuthUserFile "%s"\n  Require valid-user\n' \
      "$REALM" "$1" "$ROOT/conf/htdigest" ;;
  esac
  printf '</Location>\n'
}

apache_configuration() { # PLAIN TLS MTLS
  apache_load
  if [ "$(id -u)" = 0 ]; then printf 'User %s\nGroup %s\n' "$RUN_USER" "$RUN_GROUP"; fi
  cat <<E
ServerName localhost
ServerRoot "$ROOT/run/apache"
DefaultRuntimeDir "$ROOT/run/apache"
PidFile "$ROOT/run/apache/pid"
Mutex "file:$ROOT/run/apache" default
Listen $ADDRESS:$1
Listen $ADDRESS:$2
Listen $ADDRESS:$3
StartServers 1
ErrorLog "$ROOT/log/apache.error.log"
LogLevel warn
# method, path, status, bytes received, bytes sent, Range header
LogFormat "%m\t%U\t%>s\t%I\t%O\t%{Range}i" carrel
BufferedLogs Off
CustomLog "$ROOT/log/apache.access.log" carrel
TypesConfig "$ROOT/conf/mime.types"
DocumentRoot "$ROOT/data/apache"
DirectoryIndex disabled
KeepAlive On
MaxKeepAliveRequests 0
KeepAliveTimeout 15
Timeout 60
LimitRequestBody 0
DavLockDB "$ROOT/run/apache/davlock"
FileETag MTime Size
<Directory "$ROOT/data/apache">
  AllowOverride None
  Options Indexes
  Require all granted
</Directory>
E
  apache_location /dav Basic
  apache_location /digest Digest
  apache_location /open none
  cat <<E
SSLSessionCache "shmcb:$ROOT/run/apache/tls(512000)"
<VirtualHost $ADDRESS:$2>
  SSLEngine on
  SSLCertificateFile "$ROOT/pki/server.crt"
  SSLCertificateKeyFile "$ROOT/pki/server.key"
</VirtualHost>
<VirtualHost $ADDRESS:$3>
  SSLEngine on
  SSLCertificateFile "$ROOT/pki/server.crt"
  SSLCertificateKeyFile "$ROOT/pki/server.key"
  SSLCACertificateFile "$ROOT/pki/ca.crt"
  SSLVerifyClient require
  SSLVerifyDepth 1
</VirtualHost>
E
}

env_apache() { # PLAIN TLS MTLS
  pair CARREL_TEST_APACHE_URL "dav://$ADDRESS:$1/dav"
  pair CARREL_TEST_APACHE_TLS_URL "davs://localhost:$2/dav"
  pair CARREL_TEST_APACHE_DIGEST_URL "dav://$ADDRESS:$1/digest"
  pair CARREL_TEST_APACHE_OPEN_URL "dav://$ADDRESS:$1/open"
  pair CARREL_TEST_APACHE_MTLS_URL "davs://localhost:$3/open"
  pair CARREL_TEST_APACHE_DATA "$ROOT/data/apache"
  pair CARREL_TEST_APACHE_LOG "$ROOT/log/apache.access.log"
}

# ---- nginx: WebDAV and plain read-only HTTP on one folder; HTTP/2 on the TLS port -------------------------

launch_nginx() { # PLAIN TLS
  give_folder "$ROOT/data/nginx" "$ROOT/run/nginx"
  mkdir -p "$ROOT/run/nginx-empty"
  nginx_configuration "$@" >"$ROOT/conf/nginx.conf"
  launch nginx "$(program nginx)" -e "$ROOT/log/nginx.error.log" -c "$ROOT/conf/nginx.conf"
}

nginx_configuration() { # PLAIN TLS
  printf 'load_module "%s/ngx_http_dav_ext_module.so";\n' "$(nginx_dav_module)"
  if [ "$(id -u)" = 0 ]; then printf 'user %s %s;\n' "$RUN_USER" "$RUN_GROUP"; fi
  # the temporary folders are on the file system of the data, so that an upload ends with a rename
  cat <<E
daemon off;
worker_processes 2;
pid "$ROOT/run/nginx/pid";
error_log "$ROOT/log/nginx.error.log" warn;
events { worker_connections 512; }
http {
  # method, path, status, bytes received, bytes sent, Range header
  log_format carrel "\$request_method\t\$uri\t\$status\t\$request_length\t\$bytes_sent\t\$http_range";
  access_log "$ROOT/log/nginx.access.log" carrel;
  types { text/plain txt; text/html html; application/json json; image/png png; }
  default_type application/octet-stream;
  sendfile on;
  keepalive_timeout 15s;
  keepalive_requests 1000000;
  client_max_body_size 0;
  client_body_temp_path "$ROOT/run/nginx/body";
  proxy_temp_path "$ROOT/run/nginx/proxy";
  fastcgi_temp_path "$ROOT/run/nginx/fastcgi";
  uwsgi_temp_path "$ROOT/run/nginx/uwsgi";
  scgi_temp_path "$ROOT/run/nginx/scgi";
  dav_ext_lock_zone zone=locks:1m timeout=10m;
  server {
    listen $ADDRESS:$1;
    listen $ADDRESS:$2 ssl http2;
    ssl_certificate "$ROOT/pki/server.crt";
    ssl_certificate_key "$ROOT/pki/server.key";
    root "$ROOT/run/nginx-empty";
    location /dav/ {
      alias "$ROOT/data/nginx/";
      auth_basic $REALM;
      auth_basic_user_file "$ROOT/conf/htpasswd";
      dav_methods PUT DELETE MKCOL COPY MOVE;
      dav_ext_methods PROPFIND OPTIONS LOCK UNLOCK;
      dav_ext_lock zone=locks;
      dav_access user:rw group:r all:r;
    }
    location /plain/ {
      alias "$ROOT/data/nginx/";
      autoindex on;
      limit_except GET { deny all; }
    }
  }
}
E
}

env_nginx() { # PLAIN TLS
  pair CARREL_TEST_NGINX_URL "dav://$ADDRESS:$1/dav"
  pair CARREL_TEST_NGINX_TLS_URL "davs://localhost:$2/dav"
  pair CARREL_TEST_NGINX_PLAIN_URL "http://$ADDRESS:$1/plain/"
  pair CARREL_TEST_NGINX_PLAIN_TLS_URL "https://localhost:$2/plain/"
  pair CARREL_TEST_NGINX_DATA "$ROOT/data/nginx"
  pair CARREL_TEST_NGINX_LOG "$ROOT/log/nginx.access.log"
}

# ---- rclone: WebDAV at the top of the server --------------------------------------------------------------

launch_rclone() { # PORT
  give_folder "$ROOT/data/rclone" "$ROOT/run/rclone"
  # The password goes through the environment: arguments are visible to every user of the machine.
  # Written files go to the folder at once (write-back 0) and foreign changes are seen at once (cache time 0). The
  # latter makes rclone read a folder again for each of its entries: large folders want CARREL_RCLONE_DIR_CACHE=1s.
  RCLONE_USER=$LOGIN RCLONE_PASS=$PASSWORD HOME=$ROOT/run/rclone XDG_CONFIG_HOME=$ROOT/run/rclone \
    launch rclone "${DROP[@]}" "$(program rclone)" serve webdav "$ROOT/data/rclone" --config "" \
    --addr "$ADDRESS:$1" --cache-dir "$ROOT/run/rclone/cache" --vfs-cache-mode writes --vfs-write-back 0s \
    --dir-cache-time "${CARREL_RCLONE_DIR_CACHE:-0}" --poll-interval 0
}

env_rclone() { # PORT
  pair CARREL_TEST_RCLONE_URL "dav://$ADDRESS:$1/"
  pair CARREL_TEST_RCLONE_DATA "$ROOT/data/rclone"
}

# ---- lighttpd: one folder behind Basic and behind Digest with SHA-256 -------------------------------------

launch_lighttpd() { # PORT
  give_folder "$ROOT/data/lighttpd" "$ROOT/run/lighttpd"
  # it opens its logs anew as the servers' user
  touch "$ROOT/log/lighttpd.error.log" "$ROOT/log/lighttpd.access.log"
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$ROOT/log/lighttpd.error.log" "$ROOT/log/lighttpd.access.log"; fi
  lighttpd_configuration "$@" >"$ROOT/conf/lighttpd.conf"
  launch lighttpd "$(program lighttpd)" -D -f "$ROOT/conf/lighttpd.conf" -m "$(lighttpd_modules)"
}

lighttpd_location() { # PATH METHOD BACKEND FILE ALGORITHM
  cat <<E
\$HTTP["url"] =~ "^$1(\$|/)" {
  webdav.activate = "enable"
  webdav.is-readonly = "disable"
  webdav.sqlite-db-name = "$ROOT/run/lighttpd/properties.db"
  webdav.opts = ( "propfind-depth-infinity" => "enable" )
  auth.backend = "$3"
  auth.backend.$3.userfile = "$ROOT/conf/$4"
  auth.require = ( "$1" => ( "method" => "$2", "realm" => "$REALM", "require" => "valid-user"$5 ) )
}
E
}

lighttpd_configuration() { # PORT
  if [ "$(id -u)" = 0 ]; then printf 'server.username = "%s"\nserver.groupname = "%s"\n' "$RUN_USER" "$RUN_GROUP"; fi
  cat <<E
server.modules = ( "mod_auth", "mod_authn_file", "mod_alias", "mod_webdav", "mod_accesslog" )
server.bind = "$ADDRESS"
server.port = $1
server.document-root = "$ROOT/data/lighttpd"
server.errorlog = "$ROOT/log/lighttpd.error.log"
server.upload-dirs = ( "$ROOT/run/lighttpd" )
server.max-request-size = 0
server.max-keep-alive-requests = 1000000
server.max-keep-alive-idle = 15
accesslog.filename = "$ROOT/log/lighttpd.access.log"
# method, path, status, bytes received, bytes sent, Range header
accesslog.format = "%m	%U	%s	%I	%O	%{Range}i"
mimetype.assign = ( ".txt" => "text/plain", ".html" => "text/html", ".json" => "application/json", ".png" => "image/png",
  "" => "application/octet-stream" )
alias.url = ( "/dav" => "$ROOT/data/lighttpd", "/digest" => "$ROOT/data/lighttpd" )
E
  lighttpd_location /dav basic htpasswd htpasswd ""
  lighttpd_location /digest digest htdigest htdigest.sha256 ', "algorithm" => "SHA-256"'
}

env_lighttpd() { # PORT
  pair CARREL_TEST_LIGHTTPD_URL "dav://$ADDRESS:$1/dav"
  pair CARREL_TEST_LIGHTTPD_DIGEST_URL "dav://$ADDRESS:$1/digest"
  pair CARREL_TEST_LIGHTTPD_DATA "$ROOT/data/lighttpd"
  pair CARREL_TEST_LIGHTTPD_LOG "$ROOT/log/lighttpd.access.log"
}

# ---- WsgiDAV: WebDAV at the top of the server, with locks and properties in memory ------------------------

launch_wsgidav() { # PORT
  give_folder "$ROOT/data/wsgidav" "$ROOT/run/wsgidav"
  cat >"$ROOT/conf/wsgidav_server.py" <<'E'
import os
import sys

from cheroot import wsgi
from wsgidav import __version__
from wsgidav.fs_dav_provider import FilesystemProvider
from wsgidav.wsgidav_app import WsgiDAVApp

address, port, data, log = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]
user, password = os.environ["SERVER_USER"], os.environ["SERVER_PASSWORD"]
dav = WsgiDAVApp({
    "provider_mapping": {"/": FilesystemProvider(data)},
    "http_authenticator": {"domain_controller": None, "accept_basic": True, "accept_digest": False, "default_to_digest": False},
    "simple_dc": {"user_mapping": {"*": {user: {"password": password}}}},
    "lock_storage": True,
    "property_manager": True,
    "logging": {"enable": False},
    "verbose": 1,
})
lines = open(log, "a", buffering=1)


def logged(environ, start_response):
    def start(status, headers, *rest):
        sent = next((value for name, value in headers if name.lower() == "content-length"), "-")
        fields = (environ["REQUEST_METHOD"], environ.get("PATH_INFO", ""), status.split()[0], environ.get("CONTENT_LENGTH") or "0",
                  sent, environ.get("HTTP_RANGE", "-"))
        lines.write("\t".join(fields).encode("latin-1", "replace").decode("utf-8", "replace") + "\n")
        return start_response(status, headers, *rest)

    return dav(environ, start)


# as its own program names itself
name = f"WsgiDAV/{__version__} {wsgi.Server.version}"
server = wsgi.Server((address, port), logged, numthreads=20, server_name=name)
server.max_request_body_size = 0
server.start()
E
  touch "$ROOT/log/wsgidav.access.log"
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$ROOT/log/wsgidav.access.log"; fi
  SERVER_USER=$LOGIN SERVER_PASSWORD=$PASSWORD HOME=$ROOT/run/wsgidav PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 \
    launch wsgidav "${DROP[@]}" "$VENV/bin/python" "$ROOT/conf/wsgidav_server.py" "$ADDRESS" "$1" "$ROOT/data/wsgidav" \
    "$ROOT/log/wsgidav.access.log"
}

env_wsgidav() { # PORT
  pair CARREL_TEST_WSGIDAV_URL "dav://$ADDRESS:$1/"
  pair CARREL_TEST_WSGIDAV_DATA "$ROOT/data/wsgidav"
  pair CARREL_TEST_WSGIDAV_LOG "$ROOT/log/wsgidav.access.log"
}

# ---- moto: S3 in memory, with one user, whose signatures are checked, and two buckets --------------------

# The requests that settle_moto makes unsigned; after them every request has to be signed by a user that may do what it asks for.
MOTO_OPEN_REQUESTS=3

launch_moto() { # PORT
  give_folder "$ROOT/run/moto"
  INITIAL_NO_AUTH_ACTION_COUNT=$MOTO_OPEN_REQUESTS HOME=$ROOT/run/moto TMPDIR=$ROOT/run/moto PYTHONDONTWRITEBYTECODE=1 \
    launch moto "${DROP[@]}" "$VENV/bin/python" "$(program moto)" -H "$ADDRESS" -p "$1"
}

settle_moto() { # PORT
  cat >"$ROOT/conf/moto_settle.py" <<'E'
import json
import sys

import boto3

url, bucket = sys.argv[1:]


def client(service, key="nobody", secret="nobody"):
    return boto3.client(service, endpoint_url=url, region_name="us-east-1", aws_access_key_id=key, aws_secret_access_key=secret)


iam = client("iam")
policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
iam.create_user(UserName="carrel")
iam.put_user_policy(UserName="carrel", PolicyName="everything", PolicyDocument=json.dumps(policy))
key = iam.create_access_key(UserName="carrel")["AccessKey"]
s3 = client("s3", key["AccessKeyId"], key["SecretAccessKey"])
s3.create_bucket(Bucket=bucket)
# One more, which keeps versions.
s3.create_bucket(Bucket=f"{bucket}-versions")
s3.put_bucket_versioning(Bucket=f"{bucket}-versions", VersioningConfiguration={"Status": "Enabled"})
print(key["AccessKeyId"], key["SecretAccessKey"])
E
  HOME=$ROOT/run/moto "$VENV/bin/python" "$ROOT/conf/moto_settle.py" "http://$ADDRESS:$1" "$BUCKET" \
    >"$ROOT/conf/moto.keys" 2>>"$ROOT/log/moto.log"
}

env_moto() { # PORT
  local key secret
  read -r key secret <"$ROOT/conf/moto.keys"
  pair CARREL_TEST_S3_URL "http://$ADDRESS:$1"
  pair CARREL_TEST_S3_KEY "$key"
  pair CARREL_TEST_S3_SECRET "$secret"
  pair CARREL_TEST_S3_BUCKET "$BUCKET"
}

# ---- proxies that want a login: HTTP (plain requests and CONNECT to any port) and SOCKS5 ------------------

launch_tinyproxy() { # PORT
  touch "$ROOT/log/tinyproxy.access.log"
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$ROOT/log/tinyproxy.access.log"; fi
  cat >"$ROOT/conf/tinyproxy.conf" <<E
Listen $ADDRESS
Port $1
Timeout 60
MaxClients 200
LogFile "$ROOT/log/tinyproxy.access.log"
LogLevel Connect
BasicAuth $PROXY_LOGIN $PROXY_PASSWORD
E
  launch tinyproxy "${DROP[@]}" "$(program tinyproxy)" -d -c "$ROOT/conf/tinyproxy.conf"
}

env_tinyproxy() { # PORT
  pair CARREL_TEST_HTTP_PROXY "$ADDRESS:$1"
  pair CARREL_TEST_HTTP_PROXY_LOG "$ROOT/log/tinyproxy.access.log"
}

# It says whom it connects to on its standard error.
launch_microsocks() { # PORT
  launch microsocks "${DROP[@]}" "$(program microsocks)" -i "$ADDRESS" -p "$1" -u "$PROXY_LOGIN" -P "$PROXY_PASSWORD"
}

env_microsocks() { # PORT
  pair CARREL_TEST_SOCKS_PROXY "$ADDRESS:$1"
  pair CARREL_TEST_SOCKS_PROXY_LOG "$ROOT/log/microsocks.log"
}

# ---- FTP: one login, its folder is all that it sees; plain and explicit TLS on one port, implicit TLS on another -----

# Below the ports of the servers, so that no data connection takes the port of a server that is down.
PASSIVE_FIRST=10000
PASSIVE_LAST=19999

# vsftpd asks PAM, which reads service files in one place only. The number in the name of ours stands for the root folder, so
# that several sets of servers can run; `down` removes it.
PAM_FOLDER=/etc/pam.d
PAM_SERVICE=carrel-tests-$(printf '%s' "$ROOT" | cksum | cut -d' ' -f1)

# In the form of /etc/passwd; Pure-FTPd wants more fields, all of which may be empty.
make_ftp_password_file() { # FILE FOLDER LAST-FIELDS
  local hash
  hash=$(openssl passwd -6 -stdin <<<"$PASSWORD")
  (umask 077 && printf '%s:%s:%s:%s::%s:%s\n' "$LOGIN" "$hash" "$(id -u "$RUN_USER")" "$(id -g "$RUN_USER")" "$2" "$3" >"$1")
}

pam_pwdfile() {
  module_folder pam_pwdfile.so "$FTP_SERVERS"/lib/*/security "$FTP_SERVERS"/usr/lib/*/security /lib/*/security
}

# Those of root folders that went without `down`.
remove_stale_pam_services() {
  local file passwords
  for file in "$PAM_FOLDER"/carrel-tests-*; do
    [ -f "$file" ] || continue
    passwords=$(sed -n 's/.*\[pwdfile=\(.*\)\].*/\1/p' "$file")
    [ -f "$passwords" ] || rm -f "$file"
  done
}

launch_vsftpd() { # PORT
  launch_vsftpd_instance vsftpd "$1" max_per_ip=0
}

launch_vsftpd_implicit() { # PORT
  launch_vsftpd_instance vsftpd_implicit "$1" implicit_ssl=YES
}

# A fourth connection is answered with 421.
launch_vsftpd_capped() { # PORT
  launch_vsftpd_instance vsftpd_capped "$1" max_per_ip=3
}

launch_vsftpd_instance() { # NAME PORT SETTING
  remove_stale_pam_services
  give_folder "$ROOT/data/vsftpd"
  touch "$ROOT/log/$1.access.log"
  mkdir -p "$ROOT/run/vsftpd-empty"
  # other instances may be reading both files: the first is made once, the second is complete before it has its name
  [ -f "$ROOT/conf/vsftpd.passwd" ] || make_ftp_password_file "$ROOT/conf/vsftpd.passwd" "$ROOT/data/vsftpd" /bin/sh
  cat >"$PAM_FOLDER/.$PAM_SERVICE.$1" <<E
auth required $(pam_pwdfile)/pam_pwdfile.so [pwdfile=$ROOT/conf/vsftpd.passwd]
account required pam_permit.so
E
  mv "$PAM_FOLDER/.$PAM_SERVICE.$1" "$PAM_FOLDER/$PAM_SERVICE"
  vsftpd_configuration "$1" "$2" "$3" >"$ROOT/conf/$1.conf"
  launch "$1" "$(program vsftpd)" "$ROOT/conf/$1.conf"
}

# Left as they are by default: no MLSD, and the TLS session of the control connection is required on data connections.
vsftpd_configuration() { # NAME PORT SETTING
  cat <<E
listen=YES
background=NO
listen_address=$ADDRESS
listen_port=$2
pasv_min_port=$PASSIVE_FIRST
pasv_max_port=$PASSIVE_LAST
connect_from_port_20=NO
anonymous_enable=NO
local_enable=YES
guest_enable=YES
guest_username=$RUN_USER
virtual_use_local_privs=YES
pam_service_name=$PAM_SERVICE
local_root=$ROOT/data/vsftpd
chroot_local_user=YES
allow_writeable_chroot=YES
secure_chroot_dir=$ROOT/run/vsftpd-empty
write_enable=YES
local_umask=022
utf8_filesystem=YES
mdtm_write=YES
seccomp_sandbox=NO
max_clients=0
xferlog_enable=YES
xferlog_std_format=NO
log_ftp_protocol=YES
vsftpd_log_file=$ROOT/log/$1.access.log
ssl_enable=YES
force_local_logins_ssl=NO
force_local_data_ssl=NO
require_ssl_reuse=YES
ssl_ciphers=HIGH
rsa_cert_file=$ROOT/pki/server.crt
rsa_private_key_file=$ROOT/pki/server.key
$3
E
}

env_vsftpd() { # PORT
  pair CARREL_FTP_VSFTPD_URL "ftp://$ADDRESS:$1/"
  pair CARREL_FTPS_VSFTPD_URL "ftpes://$ADDRESS:$1/"
  pair CARREL_FTP_VSFTPD_DATA "$ROOT/data/vsftpd"
  pair CARREL_FTP_VSFTPD_LOG "$ROOT/log/vsftpd.access.log"
}

env_vsftpd_implicit() { # PORT
  pair CARREL_FTPS_IMPLICIT_VSFTPD_URL "ftps://$ADDRESS:$1/"
  pair CARREL_FTPS_IMPLICIT_VSFTPD_LOG "$ROOT/log/vsftpd_implicit.access.log"
}

env_vsftpd_capped() { # PORT
  pair CARREL_FTP_CAPPED_URL "ftp://$ADDRESS:$1/"
  pair CARREL_FTP_CAPPED_DATA "$ROOT/data/vsftpd"
  pair CARREL_FTP_CAPPED_LOG "$ROOT/log/vsftpd_capped.access.log"
}

proftpd_modules() {
  module_folder mod_tls.so "$FTP_SERVERS/usr/lib/proftpd"
}

launch_proftpd() { # PLAIN IMPLICIT CAPPED
  give_folder "$ROOT/data/proftpd"
  mkdir -p "$ROOT/run/proftpd"
  make_ftp_password_file "$ROOT/conf/proftpd.passwd" "$ROOT/data/proftpd" /bin/sh
  proftpd_configuration "$@" >"$ROOT/conf/proftpd.conf"
  launch proftpd "$(program proftpd)" --nodaemon --quiet --config "$ROOT/conf/proftpd.conf"
}

# What each of its ports needs for itself.
proftpd_host() { # TLS-OPTION LOG
  cat <<E
  AuthOrder mod_auth_file.c
  AuthUserFile "$ROOT/conf/proftpd.passwd"
  RequireValidShell off
  UseFtpUsers off
  WtmpLog off
  TransferLog none
  ExtendedLog "$ROOT/log/$2.access.log" ALL carrel
  DefaultRoot ~
  Umask 022
  AllowOverwrite on
  AllowRetrieveRestart on
  AllowStoreRestart on
  ShowSymlinks on
  PassivePorts $PASSIVE_FIRST $PASSIVE_LAST
  <Limit SITE_CHMOD>
    AllowAll
  </Limit>
  TLSEngine on
  TLSLog "$ROOT/log/proftpd.tls.log"
  TLSProtocol TLSv1.2 TLSv1.3
  TLSECCertificateFile "$ROOT/pki/server.crt"
  TLSECCertificateKeyFile "$ROOT/pki/server.key"
  TLSVerifyClient off
  TLSRequired off
  $1
E
}

# The TLS session of the control connection is required on data connections: that is the default, and TLSOptions that stay
# silent leave it so.
proftpd_configuration() { # PLAIN IMPLICIT CAPPED
  local module
  printf 'ModulePath "%s"\n' "$(proftpd_modules)"
  for module in tls digest copy site_misc; do printf 'LoadModule mod_%s.c\n' "$module"; done
  cat <<E
ServerName carrel
ServerType standalone
DefaultAddress $ADDRESS
SocketBindTight on
Port $1
User $RUN_USER
Group $RUN_GROUP
UseIPv6 off
UseReverseDNS off
PidFile "$ROOT/run/proftpd/pid"
ScoreboardFile "$ROOT/run/proftpd/scoreboard"
SystemLog "$ROOT/log/proftpd.error.log"
DelayEngine off
MaxInstances 200
<IfModule mod_ctrls.c>
  ControlsEngine off
</IfModule>
# connection, command, status
LogFormat carrel "%P	%r	%s"
E
  proftpd_host "" proftpd
  printf '<VirtualHost %s>\n  Port %s\n' "$ADDRESS" "$2"
  proftpd_host "TLSOptions UseImplicitSSL" proftpd_implicit
  printf '</VirtualHost>\n<VirtualHost %s>\n  Port %s\n  MaxClientsPerHost 3\n' "$ADDRESS" "$3"
  proftpd_host "" proftpd_capped
  printf '</VirtualHost>\n'
}

env_proftpd() { # PLAIN IMPLICIT CAPPED
  pair CARREL_FTP_PROFTPD_URL "ftp://$ADDRESS:$1/"
  pair CARREL_FTPS_PROFTPD_URL "ftpes://$ADDRESS:$1/"
  pair CARREL_FTPS_IMPLICIT_PROFTPD_URL "ftps://$ADDRESS:$2/"
  pair CARREL_FTP_CAPPED_LOGIN_URL "ftp://$ADDRESS:$3/"
  pair CARREL_FTP_CAPPED_LOGIN_LOG "$ROOT/log/proftpd_capped.access.log"
  pair CARREL_FTP_PROFTPD_DATA "$ROOT/data/proftpd"
  pair CARREL_FTP_PROFTPD_LOG "$ROOT/log/proftpd.access.log"
  pair CARREL_FTPS_IMPLICIT_PROFTPD_LOG "$ROOT/log/proftpd_implicit.access.log"
}

launch_pureftpd() { # PORT
  local passwords=$ROOT/conf/pureftpd.passwd
  give_folder "$ROOT/data/pureftpd"
  mkdir -p "$ROOT/run/pureftpd"
  # the hashes that pure-pw makes itself take seconds to check
  make_ftp_password_file "$passwords" "$ROOT/data/pureftpd/./" :::::::::::
  (
    umask 077
    cat "$ROOT/pki/server.crt" "$ROOT/pki/server.key" >"$ROOT/conf/pureftpd.pem"
    "$FTP_SERVERS/usr/bin/pure-pw" mkdb "$passwords.db" -f "$passwords"
  )
  # Only its log of transfers goes to a file: all else goes to the system's log.
  touch "$ROOT/log/pureftpd.access.log"
  launch pureftpd "$(program pureftpd)" --bind "$ADDRESS,$1" --login "puredb:$passwords.db" \
    --passiveportrange "$PASSIVE_FIRST:$PASSIVE_LAST" --chrooteveryone --noanonymous --dontresolve --minuid 1 \
    --tls 1 --certfile "$ROOT/conf/pureftpd.pem" --maxclientsnumber 200 --maxclientsperip 200 --limitrecursion 100000:20 \
    --pidfile "$ROOT/run/pureftpd/pid" --altlog "clf:$ROOT/log/pureftpd.access.log"
}

env_pureftpd() { # PORT
  pair CARREL_FTP_PUREFTPD_URL "ftp://$ADDRESS:$1/"
  pair CARREL_FTPS_PUREFTPD_URL "ftpes://$ADDRESS:$1/"
  pair CARREL_FTP_PUREFTPD_DATA "$ROOT/data/pureftpd"
  pair CARREL_FTP_PUREFTPD_LOG "$ROOT/log/pureftpd.access.log"
}

has_ipv6_loopback() { grep -qs '^0\{31\}1 ' /proc/net/if_inet6; }

launch_pyftpd() { # PLAIN IMPLICIT
  local addresses=$ADDRESS
  if has_ipv6_loopback; then addresses="$ADDRESS ::1"; fi
  give_folder "$ROOT/data/pyftpd" "$ROOT/run/pyftpd"
  cat >"$ROOT/conf/pyftpd_server.py" <<'E'
import os
import sys

from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import TLS_FTPHandler
from pyftpdlib.ioloop import IOLoop
from pyftpdlib.log import config_logging
from pyftpdlib.servers import FTPServer

addresses, port, implicit_port, data, certificate, log, first, last = sys.argv[1:]
lines = open(log, "a", buffering=1, encoding="utf-8", errors="backslashreplace")
accounts = DummyAuthorizer()
accounts.add_user(os.environ["SERVER_USER"], os.environ["SERVER_PASSWORD"], data, perm="elradfmwMT")
config_logging(level="WARNING")


class Connector(TLS_FTPHandler.active_dtp):
    # pyftpdlib takes it off its loop once more at the end of the session, under a number that is another connection's by then: that one
    # would never be heard again.
    def del_channel(self, map=None):
        if self.ioloop.socket_map.get(self._fileno) is self:
            super().del_channel(map)


class Handler(TLS_FTPHandler):
    active_dtp = Connector
    authorizer = accounts
    certfile = certificate
    passive_ports = range(int(first), int(last) + 1)
    permit_foreign_addresses = False

    # connection, command, status
    def log_command(self, status):
        lines.write(f"{self.remote_port}\t{self.last_command}\t{status}\n")

    last_command = "-"

    def pre_process_command(self, line, cmd, arg):
        self.last_command = "PASS (hidden)" if cmd == "PASS" else line
        super().pre_process_command(line, cmd, arg)

    def push(self, data):
        text = data.decode(self.encoding, "replace") if isinstance(data, bytes) else data
        if text[:3].isdigit() and text[3:4] == " ":
            self.log_command(text[:3])
        super().push(data)


class ImplicitHandler(Handler):
    def handle(self):
        self.secure_connection(self.ssl_context)

    def handle_ssl_established(self):
        super().handle()


def serve(address, port, handler):
    server = FTPServer((address, int(port)), handler, ioloop=IOLoop.instance())
    server.max_cons = 512
    server.max_cons_per_ip = 0
    return server


servers = [serve(address, port, Handler) for address in addresses.split()]
servers.append(serve(addresses.split()[0], implicit_port, ImplicitHandler))
servers[0].serve_forever()
E
  touch "$ROOT/log/pyftpd.access.log"
  (umask 077 && cat "$ROOT/pki/server.crt" "$ROOT/pki/server.key" >"$ROOT/run/pyftpd/server.pem")
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$ROOT/log/pyftpd.access.log" "$ROOT/run/pyftpd/server.pem"; fi
  SERVER_USER=$LOGIN SERVER_PASSWORD=$PASSWORD HOME=$ROOT/run/pyftpd PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 \
    launch pyftpd "${DROP[@]}" "$VENV/bin/python" "$ROOT/conf/pyftpd_server.py" "$addresses" "$1" "$2" "$ROOT/data/pyftpd" \
    "$ROOT/run/pyftpd/server.pem" "$ROOT/log/pyftpd.access.log" "$PASSIVE_FIRST" "$PASSIVE_LAST"
}

env_pyftpd() { # PLAIN IMPLICIT
  pair CARREL_FTP_PYFTPD_URL "ftp://$ADDRESS:$1/"
  pair CARREL_FTPS_PYFTPD_URL "ftpes://$ADDRESS:$1/"
  pair CARREL_FTPS_IMPLICIT_PYFTPD_URL "ftps://$ADDRESS:$2/"
  if has_ipv6_loopback; then pair CARREL_FTP_PYFTPD_IPV6_URL "ftp://[::1]:$1/"; fi
  pair CARREL_FTP_PYFTPD_DATA "$ROOT/data/pyftpd"
  pair CARREL_FTP_PYFTPD_LOG "$ROOT/log/pyftpd.access.log"
}

# ---- SFTP: one login, by password or key; paths of OpenSSH and asyncssh are those of this machine, the others' begin at the data

# All servers show the same host keys, so that one list of known hosts does for them.
HOST_KEY_KINDS=(ed25519 ecdsa rsa)
# The awkward password is for the login; this one is typed into no protocol.
KEY_PASSPHRASE='open wörd%1'

# Host keys and the user's keys, once for a root folder.
make_ssh_keys() {
  local work=$ROOT/ssh.new kind
  [ ! -d "$ROOT/ssh" ] || return 0
  rm -rf "$work"
  mkdir "$work"
  (
    cd "$work"
    umask 077
    for kind in "${HOST_KEY_KINDS[@]}"; do
      ssh-keygen -q -t "$kind" -N '' -C host -f "host_$kind"
      ssh-keygen -q -t "$kind" -N '' -C "$LOGIN" -f "key_$kind"
    done
    ssh-keygen -q -t ed25519 -N "$KEY_PASSPHRASE" -C "$LOGIN" -f key_encrypted
    # the same key in the older form
    cp key_rsa key_rsa.pem
    ssh-keygen -q -p -P '' -N '' -m PEM -f key_rsa.pem
    cat key_*.pub >authorized_keys
    # ProFTPD reads this form only
    for kind in key_*.pub; do ssh-keygen -e -m RFC4716 -f "$kind"; done >authorized_keys.rfc4716
    chmod 644 ./*.pub authorized_keys*
    chmod 755 .
  ) >"$ROOT/log/ssh-keygen.log" 2>&1 || { tail -n 5 "$ROOT/log/ssh-keygen.log" >&2; die "could not make the SSH keys"; }
  mv "$work" "$ROOT/ssh"
}

# A copy of the host keys that the server's user can read, and nobody else.
host_keys_for() { # FOLDER
  local kind
  for kind in "${HOST_KEY_KINDS[@]}"; do
    install -m 600 "$ROOT/ssh/host_$kind" "$1/host_$kind"
    if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$1/host_$kind"; fi
  done
}

# The host keys under every port of a server that has one.
write_known_hosts() {
  local name port kind ports
  [ -d "$ROOT/ssh" ] || return 0
  for name in "${SFTP[@]}"; do
    [ -f "$ROOT/run/$name.ports" ] || continue
    read -r -a ports <"$ROOT/run/$name.ports"
    for port in "${ports[@]}"; do
      for kind in "${HOST_KEY_KINDS[@]}"; do
        printf '[%s]:%s %s\n' "$ADDRESS" "$port" "$(cut -d' ' -f1,2 "$ROOT/ssh/host_$kind.pub")"
      done
    done
  done >"$ROOT/ssh/known_hosts.new"
  mv "$ROOT/ssh/known_hosts.new" "$ROOT/ssh/known_hosts"
}

JAIL=/run/carrel

# sshd takes its accounts from the system, wants a folder below /run, and accepts for a login's new root only a folder that nobody
# but root can change, all the way up. It has all of that in mounts that no other process sees, and that go when it goes.
launch_openssh() { # PLAIN CHROOT ONE TRIES BOTH BOTH-REVERSED
  launch_openssh_instance openssh "$@"
}

launch_openssh_rekey() { # PORT
  launch_openssh_instance openssh_rekey "$@"
}

launch_openssh_instance() { # NAME PORT...
  local name=$1
  make_ssh_keys
  give_folder "$ROOT/data/openssh" "$ROOT/data/openssh_chroot"
  make_openssh_accounts >"$ROOT/conf/$name.passwd"
  "${name}_configuration" "${@:2}" >"$ROOT/conf/$name.conf"
  cat >"$ROOT/conf/$name.sh" <<E
set -eu
mount --bind "$ROOT/conf/$name.passwd" /etc/passwd
mount -t tmpfs -o mode=755,size=1m tmpfs /run
mkdir -p -m 755 /run/sshd "$JAIL/data"
mount --bind "$ROOT/data/openssh_chroot" "$JAIL/data"
exec "$(program "$name")" -D -e -f "$ROOT/conf/$name.conf"
E
  launch "$name" unshare --mount --propagation slave bash "$ROOT/conf/$name.sh"
}

# Our login is the servers' user under another name.
make_openssh_accounts() {
  local hash
  hash=$(openssl passwd -6 -stdin <<<"$PASSWORD")
  printf '%s:%s:%s:%s::%s:/bin/sh\n' "$LOGIN" "$hash" "$(id -u "$RUN_USER")" "$(id -g "$RUN_USER")" "$ROOT/data/openssh"
  grep -v "^$LOGIN:" /etc/passwd
}

openssh_configuration() { # PLAIN CHROOT ONE TRIES BOTH BOTH-REVERSED
  openssh_common "$@"
  cat <<E
Match LocalPort $2
  ChrootDirectory $JAIL
  ForceCommand internal-sftp
  DisableForwarding yes
Match LocalPort $3
  MaxSessions 1
Match LocalPort $4
  MaxAuthTries 6
Match LocalPort $5
  MaxAuthTries 6
  AuthenticationMethods publickey,password
Match LocalPort $6
  MaxAuthTries 6
  AuthenticationMethods password,publickey
E
}

openssh_rekey_configuration() { # PORT
  openssh_common "$@"
  printf 'RekeyLimit 16M\n'
}

openssh_common() { # PORT...
  local port kind
  for port in "$@"; do printf 'Port %s\n' "$port"; done
  for kind in "${HOST_KEY_KINDS[@]}"; do printf 'HostKey %s\n' "$ROOT/ssh/host_$kind"; done
  cat <<E
ListenAddress $ADDRESS
PidFile none
AuthorizedKeysFile $ROOT/ssh/authorized_keys
StrictModes no
UsePAM no
UseDNS no
PasswordAuthentication yes
PubkeyAuthentication yes
KbdInteractiveAuthentication no
PermitRootLogin no
AllowUsers $LOGIN
PrintMotd no
PrintLastLog no
MaxStartups 500:30:1000
MaxSessions 100
MaxAuthTries 20
LogLevel VERBOSE
Subsystem sftp internal-sftp
E
}

env_openssh() { # PLAIN CHROOT ONE TRIES BOTH BOTH-REVERSED
  pair CARREL_SFTP_OPENSSH "sftp://$LOGIN@$ADDRESS:$1$ROOT/data/openssh/"
  pair CARREL_SFTP_OPENSSH_DATA "$ROOT/data/openssh"
  pair CARREL_SFTP_OPENSSH_LOG "$ROOT/log/openssh.log"
  pair CARREL_SFTP_OPENSSH_CHROOT "sftp://$LOGIN@$ADDRESS:$2/data/"
  pair CARREL_SFTP_OPENSSH_CHROOT_DATA "$ROOT/data/openssh_chroot"
  pair CARREL_SFTP_OPENSSH_ONE "sftp://$LOGIN@$ADDRESS:$3$ROOT/data/openssh/"
  pair CARREL_SFTP_OPENSSH_TRIES "sftp://$LOGIN@$ADDRESS:$4$ROOT/data/openssh/"
  pair CARREL_SFTP_OPENSSH_BOTH "sftp://$LOGIN@$ADDRESS:$5$ROOT/data/openssh/"
  pair CARREL_SFTP_OPENSSH_BOTH_REVERSED "sftp://$LOGIN@$ADDRESS:$6$ROOT/data/openssh/"
}

env_openssh_rekey() { # PORT
  pair CARREL_SFTP_OPENSSH_REKEY "sftp://$LOGIN@$ADDRESS:$1$ROOT/data/openssh/"
}

launch_proftpd_sftp() { # PORT
  make_ssh_keys
  give_folder "$ROOT/data/proftpd_sftp"
  mkdir -p "$ROOT/run/proftpd_sftp"
  make_ftp_password_file "$ROOT/conf/proftpd_sftp.passwd" "$ROOT/data/proftpd_sftp" /bin/sh
  proftpd_sftp_configuration "$1" >"$ROOT/conf/proftpd_sftp.conf"
  launch proftpd_sftp "$(program proftpd_sftp)" --nodaemon --quiet --config "$ROOT/conf/proftpd_sftp.conf"
}

proftpd_sftp_configuration() { # PORT
  local kind
  cat <<E
ModulePath "$(proftpd_modules)"
LoadModule mod_sftp.c
ServerName carrel
ServerType standalone
DefaultAddress $ADDRESS
SocketBindTight on
Port $1
User $RUN_USER
Group $RUN_GROUP
UseIPv6 off
UseReverseDNS off
PidFile "$ROOT/run/proftpd_sftp/pid"
ScoreboardFile "$ROOT/run/proftpd_sftp/scoreboard"
SystemLog "$ROOT/log/proftpd_sftp.error.log"
DelayEngine off
MaxInstances 200
<IfModule mod_ctrls.c>
  ControlsEngine off
</IfModule>
# connection, request, status
LogFormat carrel "%P	%r	%s"
ExtendedLog "$ROOT/log/proftpd_sftp.access.log" ALL carrel
AuthOrder mod_auth_file.c
AuthUserFile "$ROOT/conf/proftpd_sftp.passwd"
RequireValidShell off
UseFtpUsers off
WtmpLog off
TransferLog none
DefaultRoot ~
Umask 022
AllowOverwrite on
AllowRetrieveRestart on
AllowStoreRestart on
ShowSymlinks on
MaxLoginAttempts 20
SFTPEngine on
SFTPLog "$ROOT/log/proftpd_sftp.log"
SFTPAuthMethods publickey password
SFTPAuthorizedUserKeys file:$ROOT/ssh/authorized_keys.rfc4716
SFTPMaxChannels 100
E
  for kind in "${HOST_KEY_KINDS[@]}"; do printf 'SFTPHostKey "%s"\n' "$ROOT/ssh/host_$kind"; done
}

env_proftpd_sftp() { # PORT
  pair CARREL_SFTP_PROFTPD "sftp://$LOGIN@$ADDRESS:$1/"
  pair CARREL_SFTP_PROFTPD_DATA "$ROOT/data/proftpd_sftp"
  pair CARREL_SFTP_PROFTPD_LOG "$ROOT/log/proftpd_sftp.access.log"
}

launch_asyncssh() { # PLAIN KEYBOARD-INTERACTIVE KEYBOARD-INTERACTIVE-TWICE KEYBOARD-INTERACTIVE-CODE
  make_ssh_keys
  give_folder "$ROOT/data/asyncssh" "$ROOT/run/asyncssh"
  host_keys_for "$ROOT/run/asyncssh"
  cat >"$ROOT/conf/asyncssh_server.py" <<'E'
import asyncio
import os
import sys

import asyncssh

address, port, interactive_port, twice_port, code_port, data, keys, authorized = sys.argv[1:]
# Paths that do not begin with a slash are looked for here.
os.chdir(data)
user, password = os.environ["SERVER_USER"], os.environ["SERVER_PASSWORD"]


class Server(asyncssh.SSHServer):
    def begin_auth(self, username):
        return True

    def password_auth_supported(self):
        return True

    def validate_password(self, username, given):
        return username == user and given == password


class InteractiveServer(asyncssh.SSHServer):
    def begin_auth(self, username):
        return True

    def kbdint_auth_supported(self):
        return True

    def get_kbdint_challenge(self, username, lang, submethods):
        return "", "", "en-US", [("Password: ", False)]

    def validate_kbdint_response(self, username, responses):
        return username == user and list(responses) == [password]


class TwiceInteractiveServer(InteractiveServer):
    said_password = False

    def validate_kbdint_response(self, username, responses):
        if self.said_password:
            return list(responses) == [user]
        self.said_password = super().validate_kbdint_response(username, responses)
        question = [("What do you do here? ", True)]
        return self.said_password and ("Second step", "The answer is the name of the account.", "en-US", question)


class CodeInteractiveServer(InteractiveServer):
    def get_kbdint_challenge(self, username, lang, submethods):
        return "", "", "en-US", [("Password: ", False), ("Code: ", False)]

    def validate_kbdint_response(self, username, responses):
        return username == user and list(responses) == [password, user]


def listen(port, server, **options):
    return asyncssh.listen(
        address, int(port), server_factory=server, server_host_keys=[f"{keys}/host_{kind}" for kind in ("ed25519", "ecdsa", "rsa")],
        sftp_factory=True, sftp_version=3, login_timeout=30, **options)


async def serve():
    await listen(port, Server, authorized_client_keys=authorized)
    await listen(interactive_port, InteractiveServer)
    await listen(twice_port, TwiceInteractiveServer)
    await listen(code_port, CodeInteractiveServer)
    await asyncio.Event().wait()


asyncio.run(serve())
E
  SERVER_USER=$LOGIN SERVER_PASSWORD=$PASSWORD HOME=$ROOT/run/asyncssh PYTHONDONTWRITEBYTECODE=1 PYTHONUTF8=1 \
    launch asyncssh "${DROP[@]}" "$VENV/bin/python" "$ROOT/conf/asyncssh_server.py" "$ADDRESS" "$@" "$ROOT/data/asyncssh" \
    "$ROOT/run/asyncssh" "$ROOT/ssh/authorized_keys"
}

env_asyncssh() { # PLAIN KEYBOARD-INTERACTIVE KEYBOARD-INTERACTIVE-TWICE KEYBOARD-INTERACTIVE-CODE
  pair CARREL_SFTP_ASYNCSSH "sftp://$LOGIN@$ADDRESS:$1$ROOT/data/asyncssh/"
  pair CARREL_SFTP_ASYNCSSH_DATA "$ROOT/data/asyncssh"
  pair CARREL_SFTP_KBDINT "sftp://$LOGIN@$ADDRESS:$2$ROOT/data/asyncssh/"
  pair CARREL_SFTP_KBDINT_TWICE "sftp://$LOGIN@$ADDRESS:$3$ROOT/data/asyncssh/"
  pair CARREL_SFTP_KBDINT_CODE "sftp://$LOGIN@$ADDRESS:$4$ROOT/data/asyncssh/"
}

launch_rclone_sftp() { # PORT
  local kind arguments=()
  make_ssh_keys
  give_folder "$ROOT/data/rclone_sftp" "$ROOT/run/rclone_sftp"
  host_keys_for "$ROOT/run/rclone_sftp"
  for kind in "${HOST_KEY_KINDS[@]}"; do arguments+=(--key "$ROOT/run/rclone_sftp/host_$kind"); done
  # Folders are read anew each time, for a refused RMDIR would hide one from what is remembered. Without the cache of rclone's WebDAV:
  # who reads a file from it that is replaced or removed meanwhile gets no answer. Pieces that come out of order are waited for.
  RCLONE_USER=$LOGIN RCLONE_PASS=$PASSWORD HOME=$ROOT/run/rclone_sftp XDG_CONFIG_HOME=$ROOT/run/rclone_sftp \
    launch rclone_sftp "${DROP[@]}" "$(program rclone_sftp)" serve sftp "$ROOT/data/rclone_sftp" --config "" \
    --addr "$ADDRESS:$1" --authorized-keys "$ROOT/ssh/authorized_keys" "${arguments[@]}" --cache-dir "$ROOT/run/rclone_sftp/cache" \
    --vfs-cache-mode off --vfs-write-wait 30s --dir-cache-time 0 --poll-interval 0
}

env_rclone_sftp() { # PORT
  pair CARREL_SFTP_RCLONE "sftp://$LOGIN@$ADDRESS:$1/"
  pair CARREL_SFTP_RCLONE_DATA "$ROOT/data/rclone_sftp"
}

# What a client needs for any of them.
env_ssh() {
  [ -d "$ROOT/ssh" ] || return 0
  pair CARREL_SSH_KNOWN_HOSTS "$ROOT/ssh/known_hosts"
  pair CARREL_SSH_KEY_ED25519 "$ROOT/ssh/key_ed25519"
  pair CARREL_SSH_KEY_ENCRYPTED "$ROOT/ssh/key_encrypted"
  pair CARREL_SSH_KEY_PASSPHRASE "$KEY_PASSPHRASE"
  pair CARREL_SSH_KEY_ECDSA "$ROOT/ssh/key_ecdsa"
  pair CARREL_SSH_KEY_RSA "$ROOT/ssh/key_rsa"
  pair CARREL_SSH_KEY_RSA_PEM "$ROOT/ssh/key_rsa.pem"
}

# ---- PostgreSQL: one database, with passwords by SCRAM, over TCP with and without TLS; by a socket without one -----

launch_postgresql() { # PORT
  local folder=$ROOT/run/postgresql data=$ROOT/data/postgresql programs
  programs=$(postgresql_programs)
  give_folder "$folder" "$data"
  chmod 700 "$data"
  if [ ! -f "$data/PG_VERSION" ]; then
    make_postgresql_password
    "${DROP[@]}" env -i PATH="$PATH" HOME="$folder" "$programs/initdb" --pgdata "$data" --username "$POSTGRES_LOGIN" \
      --pwfile "$folder/password" --auth-host scram-sha-256 --auth-local trust --no-locale --encoding UTF8 --no-sync >>"$ROOT/log/postgresql.log" 2>&1 ||
      { tail -n 5 "$ROOT/log/postgresql.log" >&2; die "initdb made no database"; }
  fi
  install -m 600 "$ROOT/pki/server.key" "$folder/server.key"
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$folder/server.key"; fi
  # Of one that was killed. Its process is gone, and may still be listed: not everything that runs as process 1 collects the others.
  rm -f "$data/postmaster.pid" "$folder"/.s.PGSQL.*
  # Nothing has to outlive the machine, so nothing waits for the disk.
  launch postgresql "${DROP[@]}" env -i PATH="$PATH" HOME="$folder" "$programs/postgres" -D "$data" -p "$1" \
    -c "listen_addresses=$ADDRESS" -c "unix_socket_directories=$folder" -c ssl=on -c "ssl_cert_file=$ROOT/pki/server.crt" \
    -c "ssl_key_file=$folder/server.key" -c fsync=off -c max_connections=200 -c log_timezone=UTC -c timezone=UTC
}

# The password's file is the only one: other servers are told theirs on the command line, where every process sees it.
make_postgresql_password() {
  (umask 077; openssl rand -hex 16 >"$ROOT/run/postgresql/password")
  if [ "$(id -u)" = 0 ]; then chown "$RUN_USER:$RUN_GROUP" "$ROOT/run/postgresql/password"; fi
}

postgresql_query() { # PORT DATABASE SQL
  PGPASSWORD=$(cat "$ROOT/run/postgresql/password") PGSSLMODE=disable PGCONNECT_TIMEOUT=5 "$(find_program psql)" -X -A -t -q \
    -v ON_ERROR_STOP=1 -h "$ADDRESS" -p "$1" -U "$POSTGRES_LOGIN" -d "$2" -c "$3"
}

# The port answers before the database does: after a crash, what was logged is repeated first.
settle_postgresql() { # PORT
  local tries
  for ((tries = 0; tries < 600; tries++)); do
    is_up postgresql || return 1
    if postgresql_query "$1" postgres 'SELECT 1' >/dev/null 2>&1; then break; fi
    sleep 0.1
  done
  if [ "$(postgresql_query "$1" postgres "SELECT 1 FROM pg_database WHERE datname = '$POSTGRES_LOGIN'")" != 1 ]; then
    postgresql_query "$1" postgres "CREATE DATABASE $POSTGRES_LOGIN"
  fi
}

# A script of one word, for tests: it touches neither the other servers nor what they share.
write_postgresql_control() {
  local file=$ROOT/conf/postgresql_control
  printf '#!/usr/bin/env bash\nexec env CARREL_SERVERS_ROOT=%q CARREL_SERVERS_ADDRESS=%q bash %q postgresql "$1"\n' \
    "$ROOT" "$ADDRESS" "$(realpath "${BASH_SOURCE[0]}")" >"$file.new"
  chmod 755 "$file.new"
  mv "$file.new" "$file"
}

env_postgresql() { # PORT
  local folder=$ROOT/run/postgresql
  pair CARREL_TEST_POSTGRES_URL "postgresql://$POSTGRES_LOGIN@$ADDRESS:$1/$POSTGRES_LOGIN?sslmode=disable"
  pair CARREL_TEST_POSTGRES_TLS_URL \
    "postgresql://$POSTGRES_LOGIN@$ADDRESS:$1/$POSTGRES_LOGIN?sslmode=verify-full&sslrootcert=$ROOT/pki/ca.crt"
  pair CARREL_TEST_POSTGRES_SOCKET_URL "postgresql://$POSTGRES_LOGIN@/$POSTGRES_LOGIN?host=$folder&port=$1"
  pair CARREL_TEST_POSTGRES_PASSWORD "$(cat "$folder/password")"
  pair CARREL_TEST_POSTGRES_LOG "$ROOT/log/postgresql.log"
  pair CARREL_TEST_POSTGRES_CONTROL "$ROOT/conf/postgresql_control"
}

postgresql() { # VERB
  [ -f "$ROOT/run/postgresql.ports" ] || die "PostgreSQL was never up"
  prepare_drop
  case $1 in
    stop) stop postgresql ;;
    kill) stop postgresql KILL ;;
    start) is_up postgresql || start postgresql ;;
    restart) stop postgresql; start postgresql ;;
    *) usage ;;
  esac
}

# ---- verbs -----------------------------------------------------------------------------------------------

# A server that was stopped comes back on the ports that it had, so that tests can interrupt one. Another process may
# take a port between our look and the bind of the server, hence the attempts.
start() { # NAME
  local name=$1 attempt
  for attempt in 1 2 3; do
    rm -f "$ROOT/run/$name.pid" "$ROOT/run/$name.group"
    if [ "$attempt" != 1 ] || ! read -r -a PORTS <<<"$(cat "$ROOT/run/$name.ports" 2>/dev/null)" || [ ${#PORTS[@]} = 0 ]; then
      pick_ports "$(port_count "$name")"
    fi
    printf '%s\n' "${PORTS[*]}" >"$ROOT/run/$name.ports"
    "launch_$name" "${PORTS[@]}"
    if wait_for_ports "$name" "${PORTS[@]}" && settle "$name" "${PORTS[@]}"; then
      group_of "$(cut -d' ' -f1 "$ROOT/run/$name.pid")" >"$ROOT/run/$name.group"
      say "up: $name (${PORTS[*]})"
      return 0
    fi
    grep -qsi 'address already in use' "$ROOT/log/$name.log" "$ROOT/log/$name.error.log" || is_taken "$name" || break
    stop "$name"
  done
  say "$name did not start; its last words:"
  tail -q -n 10 "$ROOT/log/$name.log" "$ROOT/log/$name.error.log" >&2 2>/dev/null || true
  stop "$name"
  return 1
}

# Whether somebody else answers on one of the ports: not every server says why it ended.
is_taken() { # NAME
  local port
  ! is_up "$1" || return 1
  for port in "${PORTS[@]}"; do
    ! answers "$port" || return 0
  done
  return 1
}

# What a server wants to be told when it runs.
settle() { # NAME PORT...
  if declare -F "settle_$1" >/dev/null; then "settle_$1" "${@:2}"; fi
}

# Turns the names given (or none) into the global NAMES.
resolve_names() {
  local name
  NAMES=()
  [ $# != 0 ] || NAMES=("${SERVERS[@]}")
  for name in "$@"; do
    case " ${SERVERS[*]} plain proxy ftp sftp " in
      *" $name "*) ;;
      *) die "no such server: $name (there are: ${SERVERS[*]} plain proxy ftp sftp)" 2 ;;
    esac
    case $name in
      plain) NAMES+=(nginx) ;;
      proxy) NAMES+=(tinyproxy microsocks) ;;
      vsftpd) NAMES+=("${VSFTPD[@]}") ;;
      openssh) NAMES+=("${OPENSSH[@]}") ;;
      ftp) NAMES+=("${FTP[@]}") ;;
      sftp) NAMES+=("${SFTP[@]}") ;;
      *) NAMES+=("$name") ;;
    esac
  done
}

up() {
  local name failed=0 missing=0
  resolve_names "$@"
  prepare
  for name in "${NAMES[@]}"; do
    if ! is_present "$name"; then
      say "missing: $name"
      missing=1
    elif is_up "$name"; then
      say "already up: $name"
    else
      start "$name" || failed=1
    fi
  done
  write_known_hosts
  write_postgresql_control
  print_env >"$ROOT/env"
  [ "$failed" = 0 ] || return 1
  [ "$missing" = 0 ] || return 3
}

down() {
  local name
  resolve_names "$@"
  [ -d "$ROOT" ] || return 0
  for name in "${NAMES[@]}"; do stop "$name"; done
  if [ $# != 0 ]; then
    [ ! -f "$ROOT/env" ] || print_env >"$ROOT/env"
    return 0
  fi
  rm -f "$PAM_FOLDER/$PAM_SERVICE"
  # only what prepare made; the folder itself goes when nothing else is in it
  rm -rf "$ROOT/run" "$ROOT/log" "$ROOT/conf" "$ROOT/data" "$ROOT/pki" "$ROOT/pki.new" "$ROOT/ssh" "$ROOT/ssh.new" "$ROOT/env"
  rmdir "$ROOT" 2>/dev/null || true
}

status() {
  local name
  for name in "${SERVERS[@]}"; do
    if is_up "$name"; then
      printf '%s up %s\n' "$name" "$(cut -d' ' -f1 "$ROOT/run/$name.pid")"
    elif is_present "$name"; then
      printf '%s down\n' "$name"
    else
      printf '%s absent\n' "$name"
    fi
  done
}

pair() { # KEY VALUE : quoted so that any shell can read it back
  local quote="'\\''"
  printf "%s='%s'\n" "$1" "${2//\'/$quote}"
}

# Servers that do not run have no keys; those whose program is missing are listed.
print_env() {
  local name absent=() ports
  pair CARREL_TEST_ROOT "$ROOT"
  pair CARREL_TEST_CA "$ROOT/pki/ca.crt"
  pair CARREL_TEST_CLIENT_CERT "$ROOT/pki/client.crt"
  pair CARREL_TEST_CLIENT_KEY "$ROOT/pki/client.key"
  pair CARREL_TEST_USER "$LOGIN"
  pair CARREL_TEST_PASSWORD "$PASSWORD"
  pair CARREL_TEST_PROXY_USER "$PROXY_LOGIN"
  pair CARREL_TEST_PROXY_PASSWORD "$PROXY_PASSWORD"
  for name in "${SERVERS[@]}"; do
    if is_up "$name"; then
      read -r -a ports <"$ROOT/run/$name.ports"
      "env_$name" "${ports[@]}"
    elif ! is_present "$name"; then
      absent+=("$name")
    fi
  done
  env_ssh
  pair CARREL_TEST_ABSENT "${absent[*]-}"
}

main() {
  case ${1:-} in up | down | status | env) ;; postgresql) [ $# = 2 ] || usage ;; *) usage ;; esac
  [ -n "$ROOT" ] || die "CARREL_SERVERS_ROOT is not set; for example: export CARREL_SERVERS_ROOT=\$(mktemp -d)" 2
  case $ROOT in /?*) ;; *) die "CARREL_SERVERS_ROOT has to be an absolute path: $ROOT" 2 ;; esac
  case $ROOT in *[]\"\\\$\;\{\}[]*) die "CARREL_SERVERS_ROOT has characters that server configurations do not carry: $ROOT" 2 ;; esac
  case $1 in
    env) print_env ;;
    *) "$@" ;;
  esac
}

main "$@"
