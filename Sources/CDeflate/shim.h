// libdeflate, for the checksum of ZIP entries.
#ifndef CARREL_CDEFLATE_SHIM_H
#define CARREL_CDEFLATE_SHIM_H

#if !__has_include(<libdeflate.h>)
#error "Carrel needs libdeflate. On Debian and Ubuntu: sudo apt-get install libdeflate-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <libdeflate.h>

#endif
