// libturbojpeg: JPEG with error codes, and decoding at a fraction of the size.
#ifndef CARREL_CTURBOJPEG_SHIM_H
#define CARREL_CTURBOJPEG_SHIM_H

#if !__has_include(<turbojpeg.h>)
#error "Carrel needs libjpeg-turbo for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libturbojpeg0-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <turbojpeg.h>

#endif
