// libwebp's decoder.
#ifndef CARREL_CWEBP_SHIM_H
#define CARREL_CWEBP_SHIM_H

#include <webp/decode.h>

#endif
