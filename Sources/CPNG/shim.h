// libpng's simplified interface, which keeps setjmp to itself.
#ifndef CARREL_CPNG_SHIM_H
#define CARREL_CPNG_SHIM_H

#include <png.h>

/// `PNG_FORMAT_RGBA` is an expression that Swift cannot see.
static const unsigned int carrel_PNG_FORMAT_RGBA = PNG_FORMAT_RGBA;

#endif
