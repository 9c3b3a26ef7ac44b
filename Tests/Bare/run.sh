#!/usr/bin/env bash
# An app's first package on a bare Debian: a root of its own with the Swift toolchain and none of Carrel's libraries. Shows what the first
# build says there, installs the Debian packages that README.md names for the product and nothing else, builds, and runs.
#
#   run.sh [PRODUCT...]      those of Tests/Products; WebDAVFileProvider and Publication unless named
#
# Carrel comes as a package from a clone of the last commit, tagged 0.1.0. Needs root, debootstrap (installed where it is missing) and the
# network. Everything is below one temporary folder and removed at the end; mounts are in a namespace of this script's own.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ "$(id -u)" != 0 ]; then echo "Tests/Bare/run.sh has to be run as root" >&2; exit 1; fi
if [ "${CARREL_BARE_NAMESPACE:-}" != yes ]; then
  CARREL_BARE_NAMESPACE=yes exec unshare --mount --propagation private bash "${BASH_SOURCE[0]}" "$@"
fi

REPOSITORY=$(cd "$HERE/../.." && pwd)
README=$REPOSITORY/README.md
RELEASE=bookworm
# What the toolchain needs itself, as swift.org has it for Debian, less the development files of libraries.
TOOLCHAIN_PACKAGES=ca-certificates,git,binutils,libc6-dev,libgcc-12-dev,libstdc++-12-dev,libcurl4,libxml2,libsqlite3-0,libncurses6,libuuid1,tzdata
WORK=$(mktemp -d /var/tmp/carrel-bare.XXXXXX)
chmod 711 "$WORK"
export CARREL_SERVERS_ROOT=$WORK/servers
# shellcheck source=../Products/readme.sh
. "$REPOSITORY/Tests/Products/readme.sh"

say() { printf '\n==> %s\n' "$*"; }

# What is mounted below a folder is not ours to remove with it.
unmount() { # FOLDER
  { grep -o " $1/[^ ]*" /proc/self/mounts || true; } | sort -r | while read -r place; do umount "$place" || exit; done
}

finish() {
  bash "$REPOSITORY/Tests/Servers/servers.sh" down >/dev/null 2>&1 || true
  unmount "$WORK" || return
  rm -rf --one-file-system "$WORK"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# Runs a command line in the root, and shows it as a person would type it.
inside() { # ROOT LINE
  printf '\n# %s\n' "$2"
  chroot "$1" env -i HOME=/root PATH="$TOOLCHAIN/bin:/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    CARREL_PASSWORD="${CARREL_TEST_PASSWORD:-}" sh -c "cd /app 2>/dev/null; $2" </dev/null 2>&1
}

# A root for one product, as debootstrap has left the first one.
make_root() { # ROOT
  cp -a "$WORK/base" "$1"
  mkdir -p "$1$TOOLCHAIN" "$1/app" "$1/root/.cache/org.swift.swiftpm"
  mount --bind -o ro "$TOOLCHAIN" "$1$TOOLCHAIN"
  mount -t proc proc "$1/proc"
  mount --bind /dev "$1/dev"
  cp /etc/resolv.conf /etc/hosts "$1/etc/"
  git clone -q --bare "$REPOSITORY" "$1/carrel.git"
  git -C "$1/carrel.git" tag -f 0.1.0 >/dev/null
  # What this machine has downloaded already.
  if [ -d "$HOME/.cache/org.swift.swiftpm" ]; then mount --bind "$HOME/.cache/org.swift.swiftpm" "$1/root/.cache/org.swift.swiftpm"; fi
}

packages_for() { # PRODUCT
  local library
  echo pkg-config
  for library in $(listed_libraries "$1"); do debian_package "$library"; done
}

# Sets ARGUMENTS and ANSWER.
prepare() { # PRODUCT ROOT
  case $1 in
    WebDAVFileProvider) ARGUMENTS=${CARREL_TEST_APACHE_DIGEST_URL/:\/\//://$CARREL_TEST_USER@} ANSWER=note.txt ;;
    Publication) ARGUMENTS=/lamp.epub ANSWER='The Lamp at the Carrel by ' ;;
    LocalFileProvider) ARGUMENTS=/ ANSWER=lamp.epub ;;
    *) say "run.sh does not know how to try $1"; exit 2 ;;
  esac
  cp "$WORK/lamp.epub" "$2/lamp.epub"
}

try() { # PRODUCT
  local root=$WORK/$1 log=$WORK/$1.log said
  say "$1 on a bare Debian $RELEASE"
  make_root "$root"
  prepare "$1" "$root"
  python3 "$REPOSITORY/Tests/Products/make.py" "$root/app" '.package(url: "file:///carrel.git", from: "0.1.0")' "$1"
  inside "$root" "cat Package.swift Sources/Try$1/main.swift"
  inside "$root" "dpkg -l 'lib*-dev' | grep ^ii | cut -c 1-24"
  # It has to fail, and with a sentence that can be acted on.
  if inside "$root" "swift build" >"$log"; then cat "$log"; say "$1 builds without its libraries"; exit 1; fi
  head -n 2 "$log"
  grep -E '^(Fetching|Creating|Computing|warning:|error:)|error: ' "$log" | grep -v '^ ' | awk '!seen[$0]++ && ++shown <= 12'
  grep -q 'error: "Carrel needs .*sudo apt-get install ' "$log" || { cat "$log"; say "the first build does not say what to install"; exit 1; }
  inside "$root" "apt-get install -q -y --no-install-recommends $(packages_for "$1" | tr '\n' ' ')" | tail -n 3
  inside "$root" "swift build" | grep -v -E '^\[[0-9]+/[0-9]+\] (Compiling|Emitting|Write|Wrapping|Planning)'
  inside "$root" "readelf -d .build/debug/Try$1 | grep NEEDED"
  inside "$root" "sed -n 's/.*\/\(.*\)\.build\/.*/\1/p' .build/debug/Try$1.product/Objects.LinkFileList | sort -u | paste -sd ' '"
  said=$(inside "$root" ".build/debug/Try$1 $ARGUMENTS") || { printf '%s\n' "$said"; say "$1 failed"; exit 1; }
  printf '%s\n' "$said"
  [[ $said == *"$ANSWER"* ]] || { say "“$ANSWER” was expected"; exit 1; }
  # The next one needs the room.
  unmount "$root"
  rm -rf --one-file-system "$root"
}

main() {
  local product mirror
  command -v debootstrap >/dev/null || apt-get install -q -y --no-install-recommends debootstrap >/dev/null
  TOOLCHAIN=$(dirname "$(dirname "$(readlink -f "$(command -v swift)")")")
  [ "$TOOLCHAIN" != /usr ] || { say "a toolchain in /usr cannot be lent to another root"; exit 1; }
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' "Codename: $RELEASE" | head -n 1)
  say "debootstrap of $RELEASE"
  debootstrap --variant=minbase --include="$TOOLCHAIN_PACKAGES" "$RELEASE" "$WORK/base" "${mirror:-http://deb.debian.org/debian/}" \
    >"$WORK/debootstrap.log" || { tail "$WORK/debootstrap.log"; exit 1; }
  bash "$REPOSITORY/Tests/Servers/install.sh" demo
  mkdir -m 755 "$CARREL_SERVERS_ROOT"
  bash "$REPOSITORY/Tests/Servers/servers.sh" up apache
  eval "$(bash "$REPOSITORY/Tests/Servers/servers.sh" env)"
  swift build --package-path "$REPOSITORY" --product sample-book >/dev/null
  "$(swift build --package-path "$REPOSITORY" --show-bin-path)/sample-book" "$WORK/lamp.epub"
  for product in "$@"; do try "$product"; done
}

if [ $# = 0 ]; then set -- WebDAVFileProvider Publication; fi
main "$@"
