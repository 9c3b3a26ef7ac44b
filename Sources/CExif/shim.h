// libexif, and the part of it that reads.
#ifndef CARREL_CEXIF_SHIM_H
#define CARREL_CEXIF_SHIM_H

#if !__has_include(<libexif/exif-data.h>)
#error "Carrel needs libexif for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libexif-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif
#include <libexif/exif-data.h>
#include <libexif/exif-tag.h>
#include <libexif/exif-utils.h>

#endif
