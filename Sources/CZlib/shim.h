// zlib, with the macros that Swift cannot see as functions.
#ifndef CARREL_CZLIB_SHIM_H
#define CARREL_CZLIB_SHIM_H

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
