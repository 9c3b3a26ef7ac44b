// libwebp's decoder.
#ifndef CARREL_CWEBP_SHIM_H
#define CARREL_CWEBP_SHIM_H

#if !__has_include(<webp/decode.h>)
#error "Carrel needs libwebp for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libwebp-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <webp/decode.h>

#endif
