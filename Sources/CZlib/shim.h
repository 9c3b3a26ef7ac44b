// zlib, with the macros that Swift cannot see as functions.
#ifndef CARREL_CZLIB_SHIM_H
#define CARREL_CZLIB_SHIM_H

#if !__has_include(<zlib.h>)
#error "Carrel needs zlib. On Debian and Ubuntu: sudo apt-get install zlib1g-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif

// Input pointers become pointers to const.
#define ZLIB_CONST
#include <zlib.h>

/// `inflateInit2` is a macro. Negative window bits mean raw deflate, as in ZIP.
static inline int carrel_inflate_raw_init(z_stream *stream) { return inflateInit2(stream, -MAX_WBITS); }

/// `deflateInit2` is a macro. Negative window bits mean raw deflate, as in ZIP; 8 is zlib's usual memory level.
static inline int carrel_deflate_raw_init(z_stream *stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
}

#endif
