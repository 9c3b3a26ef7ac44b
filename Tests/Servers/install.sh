#!/usr/bin/env bash
# Installs the Debian (or Ubuntu) packages that Carrel needs.
#
#   install.sh build      what the package compiles and links against
#   install.sh servers    the real servers and tools of the integration tests
#   install.sh            both
#
# Only what is missing is installed; when nothing is missing, nothing is asked of the network.
set -euo pipefail

BUILD_PACKAGES=(libcurl4-openssl-dev zlib1g-dev libxml2-dev pkg-config ca-certificates
  libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev)
SERVER_PACKAGES=(apache2-bin apache2-utils nginx-light libnginx-mod-http-dav-ext rclone curl openssl time poppler-utils)
POLICY=/usr/sbin/policy-rc.d
POLICY_IS_OURS=no

say() { printf 'install.sh: %s\n' "$*" >&2; }

# Why a package is wanted, for the announcement below.
reason() {
  case $1 in
    libcurl4-openssl-dev) echo "headers of libcurl, the HTTP transport" ;;
    zlib1g-dev) echo "headers of zlib, for archives and compressed answers" ;;
    libxml2-dev) echo "headers of libxml2, which reads XML safely" ;;
    libturbojpeg0-dev) echo "headers of libjpeg-turbo, for thumbnails (trait FileInformation)" ;;
    libpng-dev) echo "headers of libpng, for thumbnails (trait FileInformation)" ;;
    libwebp-dev) echo "headers of libwebp, for thumbnails (trait FileInformation)" ;;
    libexif-dev) echo "headers of libexif, for camera data (trait FileInformation)" ;;
    libtag1-dev) echo "headers of TagLib, for tags of music (trait FileInformation)" ;;
    poppler-utils) echo "pdftoppm and pdfinfo, which read PDF files" ;;
    pkg-config) echo "tells the Swift package manager where those libraries are" ;;
    ca-certificates) echo "the certificate authorities that TLS trusts" ;;
    apache2-bin) echo "WebDAV test server (Basic, Digest, client certificates)" ;;
    apache2-utils) echo "password file and load tools that belong to Apache" ;;
    nginx-light) echo "WebDAV and plain HTTP test server, HTTP/2" ;;
    libnginx-mod-http-dav-ext) echo "PROPFIND and LOCK for nginx" ;;
    rclone) echo "a third WebDAV test server" ;;
    curl) echo "talks to the servers by hand and in scripts" ;;
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

# The nginx package starts its service when it is installed. A policy file forbids that for the time of the
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

# A system-wide nginx that came with this installation shall neither run now (a policy file of somebody else may have
# permitted that) nor after the next boot.
retire_nginx_service() {
  as_root update-rc.d nginx disable >/dev/null 2>&1 || true
  as_root service nginx stop >/dev/null 2>&1 || true
}

install_packages() {
  local nginx_is_new=no
  is_installed nginx-common || nginx_is_new=yes
  if [ "$(id -u)" != 0 ] && ! command -v sudo >/dev/null; then
    say "installing needs root, and there is no sudo; as root run: apt-get install --no-install-recommends $*"
    return 1
  fi
  trap allow_service_starts EXIT
  trap 'exit 130' INT TERM HUP
  forbid_service_starts
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q update
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 -q -y \
    install --no-install-recommends "$@"
  allow_service_starts
  if [ "$nginx_is_new" = yes ] && is_installed nginx-common; then retire_nginx_service; fi
}

main() {
  local wanted=() missing=() package
  case ${1:-all} in
    build) wanted=("${BUILD_PACKAGES[@]}") ;;
    servers) wanted=("${SERVER_PACKAGES[@]}") ;;
    all) wanted=("${BUILD_PACKAGES[@]}" "${SERVER_PACKAGES[@]}") ;;
    *) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0" >&2; exit 2 ;;
  esac
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    say "there is no apt here: please install the equivalents of these Debian packages: ${wanted[*]}"
    exit 1
  fi
  for package in "${wanted[@]}"; do
    is_installed "$package" || missing+=("$package")
  done
  if [ ${#missing[@]} = 0 ]; then
    say "nothing to install (${1:-all})"
    return 0
  fi
  say "installing from the distribution:"
  for package in "${missing[@]}"; do printf '  %-26s %s\n' "$package" "$(reason "$package")" >&2; done
  install_packages "${missing[@]}"
}

main "$@"
