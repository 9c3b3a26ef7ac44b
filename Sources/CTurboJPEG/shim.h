// libturbojpeg: JPEG with error codes, and decoding at a fraction of the size.
#ifndef CARREL_CTURBOJPEG_SHIM_H
#define CARREL_CTURBOJPEG_SHIM_H

#include <turbojpeg.h>

#endif
