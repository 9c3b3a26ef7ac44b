// libexif, and the part of it that reads.
#ifndef CARREL_CEXIF_SHIM_H
#define CARREL_CEXIF_SHIM_H

#include <libexif/exif-data.h>
#include <libexif/exif-tag.h>
#include <libexif/exif-utils.h>

#endif
