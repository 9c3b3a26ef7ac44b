#!/usr/bin/env bash
# Installs the Debian (or Ubuntu) packages that Carrel needs; servers written in Python and FTP servers go into folders of their own.
#
#   install.sh build      what the package compiles and links against
#   install.sh demo       that, and the one server of Examples/demo.sh
#   install.sh servers    the real servers and tools of the integration tests
#   install.sh            both
#   install.sh full       both, and calibre, which brings hundreds of packages
#
# Only what is missing is installed; when nothing is missing, nothing is asked of the network. The Python servers go to
# $CARREL_VENV, else below the user's cache folder (for root: /var/cache, where the servers' user can read them). The FTP
# servers, whose packages exclude each other, are unpacked beside that; they have to be started by root, so only root gets them.
set -euo pipefail
# The servers' user has to read what is installed here.
umask 022

BUILD_PACKAGES=(libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev pkg-config ca-certificates
  libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libqpdf-dev libarchive-dev libsqlite3-dev libpq-dev)
SERVER_PACKAGES=(apache2-bin apache2-utils nginx-light libnginx-mod-http-dav-ext rclone lighttpd lighttpd-mod-webdav
  tinyproxy-bin microsocks openssh-server openssh-client lftp curl openssl time poppler-utils libxml2-utils postgresql)
# On a machine with another system of services, this package could replace it.
if [ "${CI:-}" = true ]; then SERVER_PACKAGES+=(systemd); fi
FULL_PACKAGES=(calibre)
DEMO_PACKAGES=(apache2-bin apache2-utils openssl)
# moto's own list for its server is five times as long, with what other services than S3 and IAM need.
# Versions as the known failures were found with; one install for each server, so that one does not take the other with it.
WSGIDAV_PACKAGES=(wsgidav==4.4.0 cheroot==11.1.2)
MOTO_PACKAGES=("moto[s3]==5.2.5" flask flask-cors)
PYFTPD_PACKAGES=(pyftpdlib==2.2.0 pyOpenSSL==26.4.0)
ASYNCSSH_PACKAGES=(asyncssh==2.24.1)
# The last one checks the passwords of vsftpd. ProFTPD is an SFTP server too.
FTP_PACKAGES=(vsftpd proftpd-core proftpd-mod-crypto pure-ftpd libpam-pwdfile)
if [ "$(id -u)" = 0 ]; then VENV=/var/cache/carrel-tests/venv; else VENV=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/carrel-tests/venv; fi
VENV=${CARREL_VENV:-$VENV}
FTP_SERVERS=$(dirname "$VENV")/ftp-servers
LISTS_ARE_FRESH=no
POLICY=/usr/sbin/policy-rc.d
POLICY_IS_OURS=no

say() { printf 'install.sh: %s\n' "$*" >&2; }

# Why a package is wanted, for the announcement below.
reason() {
  case $1 in
    libcurl4-openssl-dev) echo "headers of libcurl, the HTTP transport" ;;
    libssl-dev) echo "headers of OpenSSL's libcrypto, for hashes and signatures" ;;
    libssh2-1-dev) echo "headers of libssh2, which carries SFTP" ;;
    zlib1g-dev) echo "headers of zlib, for archives and compressed answers" ;;
    libdeflate-dev) echo "headers of libdeflate, for the checksums of archives" ;;
    libxml2-dev) echo "headers of libxml2, which reads XML safely" ;;
    libturbojpeg0-dev) echo "headers of libjpeg-turbo, for thumbnails (trait Formats)" ;;
    libpng-dev) echo "headers of libpng, for thumbnails (trait Formats)" ;;
    libwebp-dev) echo "headers of libwebp, for thumbnails (trait Formats)" ;;
    libexif-dev) echo "headers of libexif, for camera data (trait Formats)" ;;
    libtag1-dev) echo "headers of TagLib, for tags of music (trait Formats)" ;;
    libsqlite3-dev) echo "headers of SQLite, for the reader library and the state of a sync" ;;
    libqpdf-dev) echo "headers of qpdf, which reads the structure of PDF files (trait Formats)" ;;
    libpq-dev) echo "headers of libpq, PostgreSQL's client, for a fleet of sync workers (trait Fleet)" ;;
    postgresql) echo "the queue of a fleet of sync workers" ;;
    libarchive-dev) echo "headers of libarchive, for comics in RAR, 7z and TAR (trait Formats)" ;;
    libpq-dev) echo "headers of libpq, PostgreSQL's client library (trait Fleet)" ;;
    calibre) echo "a driver of reader applications that is not ours, and ebook-meta, which reads what was stored" ;;
    libxml2-utils) echo "xmllint, which checks Atom against rules from RFC 4287" ;;
    poppler-utils) echo "pdftoppm and pdfinfo, which read PDF files" ;;
    pkg-config) echo "tells the Swift package manager where those libraries are" ;;
    ca-certificates) echo "the certificate authorities that TLS trusts" ;;
    apache2-bin) echo "WebDAV test server (Basic, Digest, client certificates)" ;;
    apache2-utils) echo "password file and load tools that belong to Apache" ;;
    nginx-light) echo "WebDAV and plain HTTP test server, HTTP/2" ;;
    libnginx-mod-http-dav-ext) echo "PROPFIND and LOCK for nginx" ;;
    rclone) echo "a third WebDAV test server, and one for SFTP" ;;
    lighttpd) echo "a fourth test server (Digest with SHA-256)" ;;
    lighttpd-mod-webdav) echo "WebDAV for lighttpd" ;;
    tinyproxy-bin) echo "HTTP proxy for tests" ;;
    microsocks) echo "SOCKS5 proxy for tests" ;;
    openssh-server) echo "SFTP test server" ;;
    openssh-client) echo "makes SSH keys; sftp and ssh" ;;
    lftp) echo "an FTP client to compare with" ;;
    python3-venv) echo "makes the folder for servers written in Python" ;;
    curl) echo "talks to the servers by hand and in scripts" ;;
    systemd) echo "systemd-analyze, which verifies the unit of the shelf's service" ;;
    openssl) echo "makes the private certificates of the tests" ;;
    time) echo "measures memory in the performance runs" ;;
    *) echo "needed" ;;
  esac
}

is_installed() {
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# The packages of nginx, lighttpd and OpenSSH start their services when they are installed. A policy file forbids that for the time of the
# installation; one that somebody else put there is left alone.
forbid_service_starts() {
  [ ! -e "$POLICY" ] || return 0
  # noclobber: never overwrite a file that appeared in the meantime
  if as_root sh -c "set -C; printf '#!/bin/sh\nexit 101\n' >$POLICY" 2>/dev/null; then
    POLICY_IS_OURS=yes
    as_root chmod 755 "$POLICY"
  fi
}

allow_service_starts() {
  [ "$POLICY_IS_OURS" = yes ] || return 0
  POLICY_IS_OURS=no
  as_root rm -f "$POLICY"
}

# Debian's package makes a database cluster of its own and starts it, unless this file says otherwise when it is installed
# (createcluster.conf in pg_createcluster(1)). Where PostgreSQL is installed already, nothing is changed.
forbid_database_cluster() {
  local file=/etc/postgresql-common/createcluster.conf
  if is_installed postgresql-common || [ -e "$file" ]; then return 0; fi
  as_root mkdir -p "${file%/*}"
  as_root sh -c "set -C; printf 'create_main_cluster = false\n' >$file"
}

# A system-wide server that came with this installation shall neither run now (a policy file of somebody else may have
# permitted that) nor after the next boot.
retire_service() { # NAME
  as_root update-rc.d "$1" disable >/dev/null 2>&1 || true
  as_root service "$1" stop >/dev/null 2>&1 || true
}

# The distribution's own, where there is one: another may lie where the servers' user cannot read it.
python() {
  if [ -x /usr/bin/python3 ]; then /usr/bin/python3 "$@"; else python3 "$@"; fi
}

has_python_servers() {
  [ -x "$VENV/bin/wsgidav" ] && [ -x "$VENV/bin/moto_server" ] && "$VENV/bin/python" -c 'import flask_cors, cheroot' 2>/dev/null
}

has_asyncssh() {
  [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -c 'import asyncssh.sftp' 2>/dev/null
}

has_pyftpd() {
  [ -x "$VENV/bin/python" ] && "$VENV/bin/python" -c 'import pyftpdlib.servers, OpenSSL' 2>/dev/null
}

pip() { "$VENV/bin/pip" --quiet --disable-pip-version-check "$@"; }

# WsgiDAV (WebDAV), moto (S3), pyftpdlib (FTP) and asyncssh (SFTP) come from the Python Package Index. A server that is there
# already may be running: it is left alone when only another one is missing.
install_python_servers() {
  mkdir -p "$(dirname "$VENV")"
  if ! has_python_servers; then
    say "installing WsgiDAV (WebDAV) and moto (S3) into $VENV"
    python -m venv --clear "$VENV"
    pip install "${WSGIDAV_PACKAGES[@]}"
    pip install "${MOTO_PACKAGES[@]}"
  fi
  if ! has_pyftpd; then
    say "installing pyftpdlib (FTP) into $VENV"
    pip install "${PYFTPD_PACKAGES[@]}"
  fi
  if ! has_asyncssh; then
    say "installing asyncssh (SFTP) into $VENV"
    pip install "${ASYNCSSH_PACKAGES[@]}"
  fi
}

wants_ftp_servers() { [ "$(id -u)" = 0 ]; }

has_ftp_servers() {
  local file
  for file in "$FTP_SERVERS"/usr/sbin/{vsftpd,proftpd,pure-ftpd} "$FTP_SERVERS"/usr/lib/proftpd/mod_{tls,digest,copy,site_misc,sftp}.so; do
    [ -f "$file" ] || return 1
    ! ldd "$file" 2>/dev/null | grep -q 'not found' || return 1
  done
  [ -n "$(find "$FTP_SERVERS" -name pam_pwdfile.so)" ]
}

# The libraries that the packages of the FTP servers want, under the names that they have in this release.
ftp_libraries() {
  apt-cache depends "${FTP_PACKAGES[@]}" | sed -n 's/^  Depends: \(lib[^ ]*\)$/\1/p' | sort -u
}

# Unpacked, not installed: the packages exclude each other, and their services would start.
unpack_ftp_servers() {
  local package library missing=() work=$FTP_SERVERS.new
  say "unpacking ${FTP_PACKAGES[*]} into $FTP_SERVERS"
  refresh_lists
  for library in $(ftp_libraries); do
    is_installed "$library" || missing+=("$library")
  done
  if [ ${#missing[@]} != 0 ]; then
    say "and installing what they are linked with: ${missing[*]}"
    install_packages "${missing[@]}"
  fi
  rm -rf "$work"
  mkdir -p "$work/packages"
  (cd "$work/packages" && apt-get -o APT::Sandbox::User=root -q download "${FTP_PACKAGES[@]}")
  for package in "$work"/packages/*.deb; do dpkg-deb -x "$package" "$work"; done
  rm -rf "$work/packages" "$FTP_SERVERS"
  mv "$work" "$FTP_SERVERS"
  has_ftp_servers || { say "the FTP servers in $FTP_SERVERS are not complete"; return 1; }
}

refresh_lists() {
  [ "$LISTS_ARE_FRESH" = no ] || return 0
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q update
  LISTS_ARE_FRESH=yes
}

install_packages() {
  local service new=()
  is_installed nginx-common || new+=(nginx)
  is_installed lighttpd || new+=(lighttpd)
  is_installed openssh-server || new+=(ssh)
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    say "installing needs root, and there is no sudo; as root run: apt-get install --no-install-recommends $*"
    return 1
  fi
  trap allow_service_starts EXIT
  trap 'exit 130' INT TERM HUP
  forbid_service_starts
  case " $* " in *" postgresql "*) forbid_database_cluster ;; esac
  refresh_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y \
    install --no-install-recommends "$@"
  allow_service_starts
  for service in ${new[@]+"${new[@]}"}; do
    if [ -x "/etc/init.d/$service" ]; then retire_service "$service"; fi
  done
}

main() {
  local wanted=() missing=() package
  case ${1:-all} in
    build) wanted=("${BUILD_PACKAGES[@]}") ;;
    demo) wanted=("${BUILD_PACKAGES[@]}" "${DEMO_PACKAGES[@]}") ;;
    servers) wanted=("${SERVER_PACKAGES[@]}") ;;
    all) wanted=("${BUILD_PACKAGES[@]}" "${SERVER_PACKAGES[@]}") ;;
    full) wanted=("${BUILD_PACKAGES[@]}" "${SERVER_PACKAGES[@]}" "${FULL_PACKAGES[@]}") ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "there is no apt here: please install the equivalents of these Debian packages: ${wanted[*]}"
    exit 1
  fi
  local wants_python=no wants_ftp=no
  if [[ ${1:-all} =~ ^(all|full|servers)$ ]]; then
    if ! has_python_servers || ! has_pyftpd || ! has_asyncssh; then
      wants_python=yes
      python -c 'import venv, ensurepip' 2>/dev/null || wanted+=(python3-venv)
    fi
    if wants_ftp_servers && ! has_ftp_servers; then wants_ftp=yes; fi
  fi
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ] && [ "$wants_python" = no ] && [ "$wants_ftp" = no ]; then
    say "nothing to install (${1:-all})"
    return 0
  fi
  if [ ${#missing[@]} != 0 ]; then
    say "installing from the distribution:"
    for package in "${missing[@]}"; do printf '  %-26s %s\n' "$package" "$(reason "$package")" >&2; done
    install_packages "${missing[@]}"
  fi
  if [ "$wants_python" = yes ]; then install_python_servers; fi
  if [ "$wants_ftp" = yes ]; then unpack_ftp_servers; fi
}

main "$@"
