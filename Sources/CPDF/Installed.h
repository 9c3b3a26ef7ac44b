// Says what to install where qpdf is missing. Goes before qpdf's own headers.
#ifndef CARREL_CPDF_INSTALLED_H
#define CARREL_CPDF_INSTALLED_H

#if !__has_include(<qpdf/QPDF.hh>)
#error "Carrel needs qpdf for its package trait Formats, which is on by default. On Debian and Ubuntu: sudo apt-get install libqpdf-dev (everything that Carrel needs: sudo apt-get install pkg-config libcurl4-openssl-dev libssl-dev libssh2-1-dev zlib1g-dev libdeflate-dev libxml2-dev libsqlite3-dev libqpdf-dev libarchive-dev libturbojpeg0-dev libpng-dev libwebp-dev libexif-dev libtag1-dev libpq-dev)"
#endif

#endif
