// libpng's simplified interface, which keeps setjmp to itself.
#ifndef CARREL_CPNG_SHIM_H
#define CARREL_CPNG_SHIM_H

#if !__has_include(<png.h>)
#error "Carrel needs libpng for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libpng-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <png.h>

/// `PNG_FORMAT_RGBA` is an expression that Swift cannot see.
static const unsigned int carrel_PNG_FORMAT_RGBA = PNG_FORMAT_RGBA;

#endif
